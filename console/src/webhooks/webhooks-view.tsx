import { useState } from 'preact/hooks';
import { listWebhooks } from '../service/webhooks.ts';
import { texts } from '../texts.ts';
import { CreatedIcon, Icon, WebhookIcon } from '../ui/icons.tsx';
import { LoadFailure } from '../ui/messages/notice.tsx';
import { addressOf, route } from '../ui/route.ts';
import { useWatched } from '../ui/use-loaded.ts';
import { TableHead } from '../ui/table-head.tsx';
import { NewWebhook } from './webhook-dialogs.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import { countBehind, moment, State } from './webhook-state.tsx';
import styles from './webhooks.module.css';

/** The webhooks, or one of them with its deliveries. */
export function WebhooksView() {
  const webhooks = useWatched(listWebhooks, []);
  const [isAdding, setIsAdding] = useState(false);
  const { value, isLoading, reload } = webhooks;
  const opened = value?.find(({ id }) => id === route.value.query['id']);
  if (opened) return <WebhookDetail key={opened.id} webhook={opened} onChange={reload} />;
  const { add, titles, never } = texts.webhooks;
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.webhooks}</h1>
      <div class="tools">
        <p class={`soft ${styles['intro']}`}>A webhook sends every change of a plant to another service.</p>
        <button type="button" class="primary" onClick={() => setIsAdding(true)}>
          <Icon of={CreatedIcon} /> {add}
        </button>
      </div>
      <LoadFailure of={webhooks} />
      {!value && isLoading && <p class="empty">{texts.loading}</p>}
      {value?.length === 0 && (
        <div class={`empty ${styles['none']}`}>
          <Icon of={WebhookIcon} />
          <h2>No webhooks yet</h2>
        </div>
      )}
      {value && value.length > 0 && (
        <div class="panel sheet">
          <table class={`cards ${styles['table']}`}>
            <TableHead titles={Object.values(titles)} />
            <tbody>
              {value.map((webhook) => (
                <tr key={webhook.id}>
                  <th scope="row">
                    <a href={addressOf('webhooks', { id: webhook.id })}>{webhook.url}</a>
                  </th>
                  <td>
                    <State of={webhook} />
                  </td>
                  <td data-title={titles.behind}>{countBehind(webhook)}</td>
                  <td data-title={titles.success}>{moment(webhook.lastSuccessAt) ?? never}</td>
                  <td data-title={titles.failure}>{moment(webhook.lastFailureAt) ?? never}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && (
        <NewWebhook
          onEnd={() => {
            setIsAdding(false);
            reload();
          }}
        />
      )}
    </>
  );
}
