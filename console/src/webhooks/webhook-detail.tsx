import {
  ChevronLeft,
  CirclePause,
  CirclePlay,
  Pencil,
  RefreshCw,
  RotateCcw,
  Send,
  Trash2,
} from '../ui/icons.js';
import { useState } from 'preact/hooks';
import type { Webhook, WebhookDelivery, WebhookSecret } from '../../../clients/typescript/src/contract.ts';
import { ask, send } from '../service/connection.ts';
import { number, plural, texts } from '../texts.ts';
import { Button, Icon, IconButton } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/messages/dialog.tsx';
import { LoadFailure, toast, toastFailure } from '../ui/messages/message.tsx';
import { addressOf, go } from '../ui/route.ts';
import { Table } from '../ui/table.tsx';
import { Ago, moment } from '../ui/time.tsx';
import { useWatched } from '../ui/use-loaded.ts';
import { countBehind, State, stateOf } from './webhook-state.tsx';
import styles from './webhooks.module.css';

/** A webhook with its state, deliveries and actions. */
export function WebhookDetail({ webhook, onChange }: Readonly<{ webhook: Webhook; onChange: () => void }>) {
  const { id, url, kinds, createdAt, lastSuccessAt, lastFailure, nextAttemptAt } = webhook;
  const path = `webhooks/${id}`;
  const deliveries = useWatched((signal) => ask<WebhookDelivery[]>('GET', `${path}/deliveries`, { signal }));
  const [task, setTask] = useState<'move' | 'rotate' | 'delete' | WebhookDelivery>();
  const [isBusy, setIsBusy] = useState(false);
  const state = stateOf(webhook);
  const reload = () => {
    onChange();
    deliveries.reload();
  };
  /** Runs an action, reports its result, and reloads. */
  const attempt = async (work: () => Promise<string>) => {
    setIsBusy(true);
    await work().then(toast, (error: Error) => toastFailure(error.message));
    setIsBusy(false);
    reload();
  };
  const test = async () => {
    const delivery = await ask<WebhookDelivery>('POST', `${path}/test`, { isOnce: true });
    if (delivery.failure !== undefined) throw new Error(delivery.failure);
    return `Test delivered: status ${delivery.status} in ${number(delivery.milliseconds)} ms`;
  };
  const pause = async () => {
    await send('POST', `${path}/pause`);
    return 'Webhook paused';
  };
  const end = () => {
    setTask(undefined);
    reload();
  };
  const resume = async () => {
    await send('POST', `${path}/resume`, { body: {} });
    return state === 'failing' ? 'Trying again' : 'Webhook resumed';
  };
  const move = async (form: FormData) => {
    await send('PATCH', path, { body: { url: form.get('url') } });
    if (state === 'failing') await resume();
    toast('Address changed');
    end();
  };
  const resend = async ({ after }: WebhookDelivery) => {
    await send('POST', `${path}/resume`, { body: { after } });
    toast('Sending again');
    end();
  };
  const rotate = async () => {
    const { secret } = await ask<WebhookSecret>('POST', `${path}/rotate`, { isOnce: true });
    return { title: 'New secret', secret };
  };
  const remove = async () => {
    await send('DELETE', path);
    toast('Webhook deleted');
    end();
    go('webhooks', {}, { isReplacement: true });
  };
  const pending = `${countBehind(webhook)} pending changes`;
  const facts = {
    State: (
      <>
        <State of={state} />
        {state !== 'active' && lastFailure && <small>{lastFailure}</small>}
        {state === 'failing' && <small>If the receiver has moved, change its address.</small>}
      </>
    ),
    ...(state === 'failing' && { 'Next attempt': nextAttemptAt ? <Ago at={nextAttemptAt} /> : 'Now' }),
    'Pending changes': `${countBehind(webhook)}${state === 'active' && webhook.behind > 0 ? ', sending …' : ''}`,
    'Last success': <Ago at={lastSuccessAt} />,
    Sends: kinds.join(', '),
    Created: <Ago at={createdAt} />,
  };
  return (
    <>
      <a class={styles['back']} href={addressOf('webhooks')}>
        <Icon of={ChevronLeft} /> Webhooks
      </a>
      <div class={`tools ${styles['head']}`}>
        <h1 tabIndex={-1}>{url}</h1>
        <Button icon={Send} label="Send test" isBusy={isBusy} onClick={() => void attempt(test)} />
        {state === 'paused' ? (
          <Button icon={CirclePlay} label="Resume" class="primary" onClick={() => void attempt(resume)} />
        ) : (
          <Button icon={CirclePause} label="Pause" onClick={() => void attempt(pause)} />
        )}
        {state === 'failing' && (
          <Button icon={RotateCcw} label="Retry now" class="primary" onClick={() => void attempt(resume)} />
        )}
        <Button icon={Pencil} label="Change address" onClick={() => setTask('move')} />
        <Button icon={RefreshCw} label="Rotate secret" onClick={() => setTask('rotate')} />
        <Button icon={Trash2} label="Delete" class="danger" onClick={() => setTask('delete')} />
      </div>
      <dl class={`panel ${styles['facts']}`}>
        {Object.entries(facts).map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <h2>Latest deliveries</h2>
      <LoadFailure of={deliveries} />
      {deliveries.value && (
        <Table
          class={styles['table']}
          titles={['Result', 'Sent', 'Content', 'Response time', texts.actions]}
          titled={2}
          empty="Nothing sent yet. Send a test, or change a plant."
          rows={deliveries.value.map((delivery) => ({
            key: delivery.id + delivery.at,
            cells: cellsOf(delivery, setTask),
          }))}
        />
      )}
      {typeof task === 'object' && (
        <FormDialog title={`${fromThen(task)}?`} submit="Send again" work={() => resend(task)} onLeave={end}>
          <p>The receiver gets every change since then once more.</p>
        </FormDialog>
      )}
      {task === 'move' && (
        <FormDialog title="Change address" submit="Save" work={move} onLeave={end}>
          <Field label="Address" name="url" defaultValue={url} autoFocus />
          <p>{`The new address gets the ${pending}, and signs with the same secret.`}</p>
        </FormDialog>
      )}
      {task === 'rotate' && (
        <FormDialog title="Rotate secret" submit="Rotate secret" work={rotate} onLeave={end}>
          <p>
            The previous secret keeps working for 24 hours. Give the receiver the new one within that time.
          </p>
        </FormDialog>
      )}
      {task === 'delete' && (
        <FormDialog title="Delete this webhook?" submit="Delete" isDangerous work={remove} onLeave={end}>
          <p>
            <strong class="text">{url}</strong>
          </p>
          <p>{`Its receiver gets no more changes, nor the ${pending}. This cannot be undone.`}</p>
        </FormDialog>
      )}
    </>
  );
}

function fromThen({ at }: WebhookDelivery): string {
  return `Send again from ${moment(at)}`;
}

function cellsOf(delivery: WebhookDelivery, onResend: (delivery: WebhookDelivery) => void) {
  const { at, status, failure, response, changes, milliseconds, after } = delivery;
  return [
    <>
      <State
        of={failure === undefined ? 'active' : 'failing'}
        word={failure === undefined ? `Delivered (${status})` : (status ?? 'Failed')}
      />
      {response ? (
        <details>
          <summary>{failure}</summary>
          <pre>{response}</pre>
        </details>
      ) : (
        failure && <small>{failure}</small>
      )}
    </>,
    <Ago at={at} />,
    changes === 0 ? <span class="tag">Test</span> : plural(changes, 'change'),
    `${number(milliseconds)} ms`,
    after !== undefined && (
      <IconButton icon={RotateCcw} label={fromThen(delivery)} onClick={() => onResend(delivery)} />
    ),
  ];
}
