import { expect, vi } from 'vitest';
import { WebhookSettings } from '../../../src/features/webhooks/webhooks.settings.js';
import type { TestDatabase } from '../../support/database.js';
import type { Receiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';

export const KEY = 'a-key-for-the-webhooks-of-the-tests';

/** Lets webhooks reach the receivers of tests. */
export const ENVIRONMENT = { WEBHOOK_KEY: KEY, WEBHOOK_ADDRESSES: '127.0.0.0/8,::1' };

/** Soon enough for a test; on a busy machine, a receiver of tests needs its time. */
export const SOON = { pollInterval: 100, lease: 1_000, timeout: 15_000, retry: { least: 20, most: 100 } };

/** A webhook as its owner sees it; the secret only when it was made. */
export interface Hook {
  readonly id: string;
  readonly secret: string;
  readonly state: string;
  readonly cursor: number;
  readonly behind: number;
  readonly lastSuccessAt?: string;
  readonly lastFailureAt?: string;
  readonly lastFailure?: string;
}

export function startWithHooks(
  environment: Record<string, string> = {},
  database?: TestDatabase,
  changes: Partial<WebhookSettings> = {},
): Promise<Service> {
  return startService({ ...ENVIRONMENT, ...environment }, database, (configuration) =>
    Object.assign(configuration.get(WebhookSettings), SOON, changes),
  );
}

/** Makes a webhook. */
export async function hook(
  service: Pick<Service, 'send'>,
  { url }: Pick<Receiver, 'url'>,
  more: object = {},
): Promise<Hook> {
  const { status, body, text } = await service.send('POST', '/webhooks', {
    body: { url, resource: 'plants', ...more },
  });
  expect(status, text).toBe(201);
  return body as Hook;
}

export async function stateOf(service: Pick<Service, 'send'>, { id }: Pick<Hook, 'id'>): Promise<Hook> {
  return (await service.send('GET', `/webhooks/${id}`)).body as Hook;
}

/** Creates plants with these names, one after the other. */
export async function createAll(service: Service, names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries())
    expect(await service.create({ id: index + 1, name })).toMatchObject({ status: 200 });
}

/** Waits until a webhook is like this. */
export async function waitForState(service: Service, made: Hook, state: object): Promise<void> {
  await vi.waitFor(async () => expect(await stateOf(service, made)).toMatchObject(state));
}
