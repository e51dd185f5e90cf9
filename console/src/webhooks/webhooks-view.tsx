import { Plus, Webhook as WebhookIcon } from '../ui/icons.js';
import type { IssuedWebhook } from '../../../clients/typescript/src/contract.ts';
import { ask } from '../service/connection.ts';
import { Button, Icon } from '../ui/button.tsx';
import { Choices, Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/messages/dialog.tsx';
import { Page } from '../ui/page.tsx';
import { addressOf, beginAdding, closeForm, isAdding, route } from '../ui/route.ts';
import { Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { useWatched } from '../ui/use-loaded.ts';
import { WebhookDetail } from './webhook-detail.tsx';
import { countBehind, listWebhooks, State, stateOf } from './webhook-state.tsx';
import styles from './webhooks.module.css';

/** The list of webhooks, or one webhook. */
export function WebhooksView() {
  const webhooks = useWatched(listWebhooks);
  const { value, reload } = webhooks;
  const opened = value?.find(({ id }) => id === route.value.query['id']);
  if (opened) return <WebhookDetail key={opened.id} webhook={opened} onChange={reload} />;
  const end = () => {
    closeForm();
    reload();
  };
  return (
    <Page
      title="Webhooks"
      lead="A webhook sends every change of a plant to another service."
      tools={<Button icon={Plus} label="New webhook" class="primary" onClick={beginAdding} />}
      of={webhooks}
    >
      {value && (
        <Table
          class={styles['table']}
          titles={['Address', 'State', 'Pending changes', 'Last success', 'Last failure']}
          titled={2}
          empty={
            <>
              <Icon of={WebhookIcon} />
              <h2>No webhooks yet</h2>
            </>
          }
          rows={value.map((webhook) => ({
            key: webhook.id,
            cells: [
              <a href={addressOf('webhooks', { id: webhook.id })}>{webhook.url}</a>,
              <State of={stateOf(webhook)} />,
              countBehind(webhook),
              <Ago at={webhook.lastSuccessAt} />,
              <Ago at={webhook.lastFailureAt} />,
            ],
          }))}
        />
      )}
      {isAdding.value && <NewWebhook onEnd={end} />}
    </Page>
  );
}

/** Creates a webhook for plants. */
function NewWebhook({ onEnd }: { readonly onEnd: () => void }) {
  const work = async (form: FormData) => {
    const body = { url: form.get('url'), kinds: form.getAll('kinds'), resource: 'plants' };
    const { secret } = await ask<IssuedWebhook>('POST', 'webhooks', { body, isOnce: true });
    return { title: 'Webhook created', secret };
  };
  return (
    <FormDialog title="New webhook" submit="Create webhook" work={work} onLeave={onEnd}>
      <Field
        label="Address"
        name="url"
        defaultValue="https://"
        hint="An https address that accepts POST requests"
        autoFocus
      />
      <p>It gets all changes from now on. To move a webhook, change its address instead.</p>
      <Choices
        legend="Changes to send"
        name="kinds"
        choices={{
          created: 'Plants that are added',
          changed: 'Plants that are edited',
          deleted: 'Plants that are deleted',
        }}
        areChosen
        advice="Select at least one kind of change."
      />
    </FormDialog>
  );
}
