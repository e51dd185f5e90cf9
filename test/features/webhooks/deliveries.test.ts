import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { expect, test, vi } from 'vitest';
import { type Delivered, Receiver } from '../../support/network/receiver.js';
import type { Service } from '../../support/service.js';
import { createAll, type Hook, hook, KEY, startWithHooks, stateOf, waitForState } from './hooks.js';

interface Delivery {
  readonly id: string;
  readonly at: string;
  readonly status?: number;
  readonly response?: string;
}

async function deliveriesOf(service: Service, { id }: Hook): Promise<readonly Delivery[]> {
  return (await service.send('GET', `/webhooks/${id}/deliveries`)).body as Delivery[];
}

const MILLISECONDS = expect.toSatisfy(
  (value: number) => Number.isInteger(value) && value >= 0 && value < 60_000,
  'milliseconds',
) as number;
const TIME = expect.stringMatching(/^\d{4}-.*Z$/) as string;

test('the deliveries of a webhook are kept with their results, newest first and without secrets', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const body = `\0${'ä'.repeat(100_000)}`;
  receiver.reactions.push((_request, response) => response.writeHead(500).end(body));
  receiver.reactions.push((request) => request.socket.destroy());
  const made = await hook(service, receiver);
  expect(await deliveriesOf(service, made)).toEqual([]);

  await createAll(service, ['a']);
  await waitForState(service, made, { behind: 0 });

  const { cursor } = await stateOf(service, made);
  const id = `${made.id}_${made.cursor}_${cursor}`;
  const each = { id, at: TIME, milliseconds: MILLISECONDS, changes: 1, after: made.cursor, cursor };
  const { text, body: deliveries } = await service.send('GET', `/webhooks/${made.id}/deliveries`);
  expect(deliveries).toEqual([
    { ...each, status: 204 },
    { ...each, failure: 'The connection to the receiver failed (ECONNRESET).' },
    {
      ...each,
      status: 500,
      failure: 'The receiver returned 500.',
      // 1,024 bytes, less the half of a character.
      response: `\uFFFD${'ä'.repeat(511)}`,
    },
  ]);
  for (const secret of [made.secret, KEY, 'v1,', 'a-secret-of-the-url']) expect(text).not.toContain(secret);
});

test('the last 100 deliveries are kept, however often a receiver fails, and until the webhook is deleted', async () => {
  const service = await startWithHooks({}, undefined, { retry: { least: 1, most: 1 } });
  const receiver = await Receiver.start();
  const statuses = Array.from({ length: 130 }, (_, index) => 420 + index);
  receiver.reactions.push(...statuses);
  const made = await hook(service, receiver);

  await createAll(service, ['a']);
  await waitForState(service, made, { behind: 0 });

  const deliveries = await deliveriesOf(service, made);
  expect(deliveries.map(({ status }) => status)).toEqual([204, ...statuses.slice(-99).toReversed()]);
  const rows = service.app.get(DataSource).getRepository('webhook_deliveries');
  expect(await rows.count()).toBe(100);
  await service.send('DELETE', `/webhooks/${made.id}`);
  expect(await rows.count()).toBe(0);
});

test('a paused webhook sends nothing, keeps the result of a request in flight, and goes on where it was', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const released = Promise.withResolvers<void>();
  receiver.reactions.push((_request, response) => void released.promise.then(() => response.end()));
  const made = await hook(service, receiver);
  await service.create({ id: 1, name: 'a' });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));

  const paused = await service.send('POST', `/webhooks/${made.id}/pause`);
  expect(paused).toMatchObject({ status: 200, body: { state: 'paused', cursor: made.cursor } });
  released.resolve();
  await waitForState(service, made, { state: 'paused', behind: 0 });
  await service.create({ id: 2, name: 'b' });
  const other = await hook(service, receiver);
  await service.create({ id: 3, name: 'c' });
  // The other webhook has delivered, so this one had its time.
  await waitForState(service, other, { behind: 0 });
  expect(receiver.names).toEqual(['c']);
  const { cursor: after } = await stateOf(service, made);
  await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after } });

  await vi.waitFor(() => expect(receiver.names).toEqual(['c', 'b', 'c']));
  expect(receiver.requests).toHaveLength(3);
});

test('a test is signed, has no changes, and leaves the webhook as it is', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const made = await hook(service, receiver);
  await service.send('POST', `/webhooks/${made.id}/pause`);
  const before = await stateOf(service, made);
  receiver.reactions.push(204, (_request, response) => response.writeHead(410).end('Gone for good'));
  const sendTest = () => service.send('POST', `/webhooks/${made.id}/test`);

  const [taken, refused] = [await sendTest(), await sendTest()];

  const id = expect.stringMatching(`^${made.id}_test_\\d+$`) as string;
  const each = { id, at: TIME, milliseconds: MILLISECONDS, changes: 0 };
  expect(taken).toMatchObject({ status: 200 });
  expect(taken.body).toEqual({ ...each, status: 204 });
  const failure = 'The receiver returned 410.';
  expect(refused.body).toEqual({ ...each, status: 410, failure, response: 'Gone for good' });
  expect(await deliveriesOf(service, made)).toEqual([refused.body, taken.body]);
  const [{ headers, body }] = receiver.requests as [Delivered];
  expect(JSON.parse(body)).toEqual({ type: 'webhook.test', timestamp: TIME, data: [] });
  expect(headers['webhook-id']).toBe((taken.body as Delivery).id);
  expect(() => new Webhook(made.secret).verify(body, headers as Record<string, string>)).not.toThrow();
  expect(await stateOf(service, made)).toEqual(before);
});
