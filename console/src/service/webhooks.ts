import type {
  IssuedWebhook,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookSecret,
} from '../../../clients/typescript/src/contract.ts';
import { readJson, send } from './connection.ts';

export type { IssuedWebhook, Webhook, WebhookDelivery };

/** The kinds of changes that a webhook may get. */
export const KINDS = ['created', 'changed', 'deleted'] as const;

/** Reads all webhooks, oldest first. */
export async function listWebhooks(signal: AbortSignal): Promise<readonly Webhook[]> {
  return readJson(await send('GET', 'webhooks', { signal }));
}

/** Reads the last requests of a webhook, newest first. */
export async function listDeliveries(id: string, signal: AbortSignal): Promise<readonly WebhookDelivery[]> {
  return readJson(await send('GET', `webhooks/${id}/deliveries`, { signal }));
}

/** Makes a webhook of plants. */
export async function createWebhook(
  newWebhook: Pick<NewWebhook, 'url'> & { readonly kinds: readonly string[] },
): Promise<IssuedWebhook> {
  return readJson(
    await send('POST', 'webhooks', { body: { ...newWebhook, resource: 'plants' }, isOnce: true }),
  );
}

/** Sends a request without changes, once. */
export async function testWebhook(id: string): Promise<WebhookDelivery> {
  return readJson(await send('POST', `webhooks/${id}/test`, { isOnce: true }));
}

export async function pauseWebhook(id: string): Promise<void> {
  await send('POST', `webhooks/${id}/pause`);
}

/** @param after the cursor of the last change that the receiver has. */
export async function resumeWebhook(id: string, after: bigint): Promise<void> {
  await send('POST', `webhooks/${id}/resume`, { body: { after } });
}

/** Gives a webhook a new secret, which nobody sees again. */
export async function rotateWebhook(id: string): Promise<WebhookSecret> {
  return readJson(await send('POST', `webhooks/${id}/rotate`, { isOnce: true }));
}

export async function deleteWebhook(id: string): Promise<void> {
  await send('DELETE', `webhooks/${id}`);
}
