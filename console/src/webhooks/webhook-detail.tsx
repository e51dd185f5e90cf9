import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  listDeliveries,
  pauseWebhook,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
} from '../service/webhooks.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/controls/button.tsx';
import {
  ChevronLeftIcon,
  DeletedIcon,
  FailedIcon,
  Icon,
  OkIcon,
  PausedIcon,
  RefreshIcon,
  ResumeIcon,
  SendIcon,
  UndoIcon,
} from '../ui/icons.tsx';
import { toast, toastFailure } from '../ui/messages/message.tsx';
import { LoadFailure } from '../ui/messages/notice.tsx';
import { addressOf, go } from '../ui/route.ts';
import { useWatched } from '../ui/use-loaded.ts';
import { TableHead } from '../ui/table-head.tsx';
import { DeleteWebhook, ResumeWebhook, RotateSecret } from './webhook-dialogs.tsx';
import { countBehind, moment, State, stateOf } from './webhook-state.tsx';
import styles from './webhooks.module.css';

interface WebhookDetailProps {
  readonly webhook: Webhook;
  readonly onChange: () => void;
}

/** One webhook: how it is, what it has sent, and what can be done with it. */
export function WebhookDetail({ webhook, onChange }: WebhookDetailProps) {
  const { id, url, kinds, createdAt, lastSuccessAt, lastFailure, cursor } = webhook;
  const deliveries = useWatched((signal) => listDeliveries(id, signal), [id]);
  /** The dialog that is open; for `resume`, the change after which the webhook goes on. */
  const [task, setTask] = useState<'rotate' | 'delete' | { readonly after: bigint }>();
  const [isBusy, setIsBusy] = useState(false);
  const state = stateOf(webhook);
  const { actions, never, tested } = texts.webhooks;
  const reload = () => {
    onChange();
    deliveries.reload();
  };
  /** Does what may fail, says how it went, and shows what came of it. */
  const attempt = async (work: () => Promise<string>) => {
    setIsBusy(true);
    await work().then(toast, (error: Error) => toastFailure(error.message));
    setIsBusy(false);
    reload();
  };
  const test = async () => {
    const { status = 0, failure, milliseconds } = await testWebhook(id);
    if (failure !== undefined) throw new Error(failure);
    return tested(status, milliseconds);
  };
  const pause = async () => {
    await pauseWebhook(id);
    return 'Webhook paused';
  };
  const end = () => {
    setTask(undefined);
    reload();
  };
  return (
    <>
      <a class={styles['back']} href={addressOf('webhooks')}>
        <Icon of={ChevronLeftIcon} /> {texts.views.webhooks}
      </a>
      <div class={styles['head']}>
        <h1 tabIndex={-1}>{url}</h1>
        <Button isBusy={isBusy} onClick={() => void attempt(test)}>
          <Icon of={SendIcon} /> Send test
        </Button>
        {state === 'paused' ? (
          <button type="button" class="primary" onClick={() => setTask({ after: cursor })}>
            <Icon of={ResumeIcon} /> {actions.resume}
          </button>
        ) : (
          <button type="button" onClick={() => void attempt(pause)}>
            <Icon of={PausedIcon} /> Pause
          </button>
        )}
        <button type="button" onClick={() => setTask('rotate')}>
          <Icon of={RefreshIcon} /> {actions.rotate}
        </button>
        <button type="button" class="danger" onClick={() => setTask('delete')}>
          <Icon of={DeletedIcon} /> Delete
        </button>
      </div>
      <dl class={`panel ${styles['facts']}`}>
        <Fact name="State">
          <State of={webhook} />
          {state !== 'active' && lastFailure && <small>{lastFailure}</small>}
        </Fact>
        <Fact name="Pending changes">{countBehind(webhook)}</Fact>
        <Fact name="Last success">{moment(lastSuccessAt) ?? never}</Fact>
        <Fact name="Sends">{kinds.join(', ')}</Fact>
        <Fact name="Created">{moment(createdAt)}</Fact>
      </dl>
      <h2>Latest deliveries</h2>
      <LoadFailure of={deliveries} />
      {deliveries.value?.length === 0 && (
        <p class="empty">Nothing sent yet. Send a test, or change a plant.</p>
      )}
      {deliveries.value && deliveries.value.length > 0 && (
        <Deliveries of={deliveries.value} onResend={(after) => setTask({ after })} />
      )}
      {typeof task === 'object' && <ResumeWebhook webhook={webhook} after={task.after} onEnd={end} />}
      {task === 'rotate' && <RotateSecret webhook={webhook} onEnd={end} />}
      {task === 'delete' && (
        <DeleteWebhook
          webhook={webhook}
          onEnd={(isDeleted) => {
            end();
            if (isDeleted) go('webhooks', {}, { isReplacement: true });
          }}
        />
      )}
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

function Fact({ name, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface DeliveriesProps {
  readonly of: readonly WebhookDelivery[];
  readonly onResend: (after: bigint) => void;
}

function Deliveries({ of: deliveries, onResend }: DeliveriesProps) {
  const { columns, changes, milliseconds, resend } = texts.webhooks;
  return (
    <div class="panel sheet">
      <table class={`cards ${styles['table']}`}>
        <TableHead titles={Object.values(columns)} hasActions />
        <tbody>
          {deliveries.map(({ id, at, status, failure, response: body, after, ...delivery }) => (
            <tr key={id + at}>
              <th scope="row">
                <span class={`${styles['state']} ${failure === undefined ? 'success' : 'danger'}`}>
                  <Icon of={failure === undefined ? OkIcon : FailedIcon} /> {status ?? 'Failed'}
                </span>
                {body ? (
                  <details>
                    <summary>{failure}</summary>
                    <pre>{body}</pre>
                  </details>
                ) : (
                  failure && <small>{failure}</small>
                )}
              </th>
              <td>{moment(at)}</td>
              <td data-title={columns.changes}>
                {delivery.changes === 0 ? <span class="tag">Test</span> : changes(delivery.changes)}
              </td>
              <td data-title={columns.duration}>{milliseconds(delivery.milliseconds)}</td>
              <td class={styles['actions']}>
                {after !== undefined && (
                  <button
                    type="button"
                    class="quiet icon"
                    aria-label={resend}
                    title={resend}
                    onClick={() => onResend(after)}
                  >
                    <Icon of={UndoIcon} />
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
