import type { PlantDelivery } from './contract.ts';
import { readJson } from './json.ts';

/** What a receiver has got does not come from the service, or not now. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface WebhookRequest {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came, before anything has parsed it. */
  readonly body: string | Uint8Array;
}

/** Seconds by which the clocks of the service and of the receiver may differ. */
const TOLERANCE_S = 300;

/**
 * Verifies the request of a webhook (Standard Webhooks) and returns its changes, with exact ids.
 *
 * @param secret the secret of the webhook, `whsec_…`.
 * @throws WebhookError when the request is not signed with the secret, or is too old.
 */
export async function verifyWebhook(
  secret: string,
  { headers, body }: WebhookRequest,
): Promise<PlantDelivery> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String((headers instanceof Headers ? headers.get(`webhook-${name}`) : headers[`webhook-${name}`]) ?? ''),
  ) as [string, string, string];
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= TOLERANCE_S)) throw new WebhookError('The timestamp of the webhook is not of now.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  // For a day after a rotation, there is a signature with the previous secret, too.
  for (const [, signature = ''] of signatures.matchAll(/(?:^| )v1,([\w+/]+=*)(?= |$)/g))
    if (await crypto.subtle.verify('HMAC', key, fromBase64(signature), signed))
      return readJson(text) as PlantDelivery;
  throw new WebhookError('The webhook is not signed with this secret.');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
