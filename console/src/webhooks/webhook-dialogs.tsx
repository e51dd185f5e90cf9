import { useState } from 'preact/hooks';
import {
  createWebhook,
  deleteWebhook,
  KINDS,
  resumeWebhook,
  rotateWebhook,
  type Webhook,
} from '../service/webhooks.ts';
import { texts } from '../texts.ts';
import { Choices } from '../ui/controls/choices.tsx';
import { FormDialog, Problem } from '../ui/messages/dialog.tsx';
import { Field } from '../ui/controls/field.tsx';
import { toast } from '../ui/messages/message.tsx';
import { ShownSecret } from '../ui/controls/shown-secret.tsx';

interface DialogProps {
  readonly webhook: Webhook;
  readonly onEnd: (isDone: boolean) => void;
}

/** Makes a webhook of plants, and shows its secret, this once. */
export function NewWebhook({ onEnd }: Pick<DialogProps, 'onEnd'>) {
  const [url, setUrl] = useState('https://');
  const [kinds, setKinds] = useState<ReadonlySet<string>>(new Set(KINDS));
  const [secret, setSecret] = useState<string>();
  const { add, meanings } = texts.webhooks;
  const work = async () => setSecret((await createWebhook({ url, kinds: [...kinds] })).secret);
  if (secret !== undefined)
    return <ShownSecret title="Webhook created" secret={secret} onEnd={() => onEnd(true)} />;
  return (
    <FormDialog title={add} submit="Create webhook" work={work} onLeave={() => onEnd(false)}>
      {(problem, field) => (
        <>
          <Field
            label="Address"
            value={url}
            hint="An https address that accepts POST requests"
            problem={field === 'url' ? problem : undefined}
            hasFocus
            onInput={setUrl}
          />
          <Choices
            legend="Changes to send"
            offered={KINDS}
            meanings={meanings}
            selection={kinds}
            problem={field === 'kinds' ? 'Select at least one kind of change.' : undefined}
            onChange={setKinds}
          />
          {!['url', 'kinds'].includes(field ?? '') && <Problem text={problem} />}
        </>
      )}
    </FormDialog>
  );
}

/** Lets a webhook go on after a change. */
export function ResumeWebhook({ webhook, after, onEnd }: DialogProps & { readonly after: bigint }) {
  const [typed, setTyped] = useState(String(after));
  const { actions, afterHint } = texts.webhooks;
  const work = async () => {
    if (!/^\d{1,18}$/.test(typed)) throw new Error('Enter the cursor of a change, or 0.');
    await resumeWebhook(webhook.id, BigInt(typed));
    toast('Webhook resumed');
    onEnd(true);
  };
  return (
    <FormDialog title={actions.resume} submit={actions.resume} work={work} onLeave={() => onEnd(false)}>
      {(problem) => (
        <Field
          label="Send changes after cursor"
          value={typed}
          hint={afterHint(String(webhook.cursor))}
          problem={problem}
          hasFocus
          onInput={setTyped}
        />
      )}
    </FormDialog>
  );
}

/** Gives a webhook a new secret after asking, and shows it, this once. */
export function RotateSecret({ webhook, onEnd }: DialogProps) {
  const [secret, setSecret] = useState<string>();
  const { actions } = texts.webhooks;
  const work = async () => setSecret((await rotateWebhook(webhook.id)).secret);
  if (secret !== undefined)
    return <ShownSecret title="New secret" secret={secret} onEnd={() => onEnd(true)} />;
  return (
    <FormDialog title={actions.rotate} submit={actions.rotate} work={work} onLeave={() => onEnd(false)}>
      {(problem) => (
        <>
          <p>
            The previous secret keeps working for 24 hours. Give the receiver the new one within that time.
          </p>
          <Problem text={problem} />
        </>
      )}
    </FormDialog>
  );
}

/** Deletes a webhook after asking. */
export function DeleteWebhook({ webhook: { id, url }, onEnd }: DialogProps) {
  const work = async () => {
    await deleteWebhook(id);
    toast('Webhook deleted');
    onEnd(true);
  };
  return (
    <FormDialog
      title="Delete this webhook?"
      submit="Delete"
      isDangerous
      work={work}
      onLeave={() => onEnd(false)}
    >
      {(problem) => (
        <>
          <p>
            <strong class="text">{url}</strong>
          </p>
          <p>Its receiver gets no more changes. This cannot be undone.</p>
          <Problem text={problem} />
        </>
      )}
    </FormDialog>
  );
}
