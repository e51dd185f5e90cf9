import type { RequestListener } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { expect, inject, test, vi } from 'vitest';
import { WebhookSettings } from '../../../src/features/webhooks/webhooks.settings.js';
import { changesAfter } from '../../support/network/changes.js';
import { readMetrics } from '../../support/metrics.js';
import { seconds, startBoth } from '../../support/network/identity-provider.js';
import { type Delivered, Receiver } from '../../support/network/receiver.js';
import { importRequest } from '../../support/service.js';
import { issue } from '../../support/tokens.js';
import {
  createAll,
  ENVIRONMENT,
  type Hook,
  hook,
  SOON,
  startWithHooks,
  stateOf,
  waitForState,
} from './hooks.js';

function verify(secret: string, { headers, body }: Delivered): void {
  new Webhook(secret).verify(body, headers as Record<string, string>);
}

test('a webhook gets what changes from now on, exactly and signed', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  await service.create({ id: 1, name: 'before' });
  const made = await hook(service, receiver);

  await service.create('{"id":9007199254740993,"name":"é \\"\\n\\u2028,\\n","tag":""}');
  await service.send('DELETE', '/plants/1');

  const all = await vi.waitFor(async () => {
    const changes = await changesAfter(service, made.cursor);
    expect(changes.at(-1)).toMatchObject({ kind: 'deleted' });
    expect(receiver.names).toHaveLength(changes.length);
    return changes;
  });
  // No webhook learns who has made a change.
  expect(receiver.taken.flatMap(({ changes }) => changes)).toEqual(all.map(({ by: _, ...change }) => change));
  let after: number | undefined = made.cursor;
  for (const delivered of receiver.taken) {
    const { headers, body, changes } = delivered;
    const last = changes.at(-1)?.cursor;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'plant-store',
      'webhook-id': `${made.id}_${after}_${last}`,
      'webhook-signature': expect.stringMatching(/^v1,[^ ]{44}$/),
    });
    expect(body).toMatch(/^\{"type":"plants.changed","timestamp":"[^"]{24}","data":\[\{"cursor":/);
    expect(() => verify(made.secret, delivered)).not.toThrow();
    expect(() => verify(made.secret, { ...delivered, body: `${body} ` })).toThrow('signature');
    after = last;
  }
  await waitForState(service, made, { state: 'active', behind: 0, cursor: all.at(-1)?.cursor });
  expect(await stateOf(service, made)).not.toHaveProperty('lastFailure');
});

test('a webhook gets the kinds that it wants, of many changes at most 100 in a request', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const made = await hook(service, receiver, { kinds: ['created'] });
  const operations = Array.from({ length: 250 }, (_, id) => ({
    kind: 'create',
    body: { id, name: `n${id}` },
  }));
  const names = operations.map(({ body }) => body.name);

  await service.send('POST', '/plants/batch', { body: { operations } });
  await service.send('PATCH', '/plants/1', { body: { tag: 'a' } });
  await service.send('DELETE', '/plants/2');

  await vi.waitFor(() => expect(receiver.names).toEqual(names));
  expect(Math.max(...receiver.taken.map(({ changes }) => changes.length))).toBe(100);
  await waitForState(service, made, { behind: 0 });
  const { cursor: after } = await stateOf(service, made);
  const long = Array.from({ length: 40 }, (_, index) => ({ id: 1_000 + index, name: 'x'.repeat(16_000) }));
  await service.request('/plants/import', importRequest(long));
  await vi.waitFor(() => expect(receiver.names).toHaveLength(290));
  // Now all of them come from one read.
  await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after } });
  await vi.waitFor(() => expect(receiver.names).toHaveLength(330));
  expect(Math.max(...receiver.taken.map(({ body }) => body.length))).toBeLessThan(270_000);
});

test('a receiver with a low limit gets fewer changes at a time, and the log names the one that is too large', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const names = Array.from({ length: 20 }, (_, index) => `plant ${index + 1}`);
  const refuseMore: RequestListener = (_, response) => {
    const { changes } = receiver.requests.at(-1) as Delivered;
    response
      .writeHead(changes.length > 3 || changes.some(({ plant }) => plant.name === 'large') ? 413 : 204)
      .end();
    receiver.reactions.push(refuseMore);
  };
  receiver.reactions.push(refuseMore);
  const operations = [...names, 'large'].map((name, id) => ({ kind: 'create', body: { id, name } }));
  const made = await hook(service, receiver);

  await service.send('POST', '/plants/batch', { body: { operations } });

  const lastFailure =
    'The receiver returned 413 for a single change: raise its limit, or resume the webhook after this change.';
  await waitForState(service, made, { behind: 1, lastFailure });
  const { body } = await service.send('GET', `/webhooks/${made.id}/deliveries`);
  expect(body).toContainEqual(
    expect.objectContaining({
      failure: expect.stringMatching(/^The receiver returned 413 for \d+ changes: half as many follow\.$/),
    }),
  );
  expect(new Set(receiver.requests.flatMap(({ changes }) => changes.map(({ plant }) => plant.name)))).toEqual(
    new Set([...names, 'large']),
  );
});

test('changes that come one after the other share requests', async () => {
  // A poll ends the pause after a request.
  const service = await startWithHooks({}, undefined, { pollInterval: 60_000, lease: 600_000 });
  const receiver = await Receiver.start();
  await hook(service, receiver);
  const start = performance.now();
  const names: string[] = [];

  while (performance.now() - start < 1_000) {
    names.push(`plant ${names.length}`);
    await service.create({ id: names.length, name: names.at(-1) });
  }

  await vi.waitFor(() => expect(receiver.names).toEqual(names));
  // More than 100 changes are two requests or more, and nothing waits after them; after fewer, there is a pause of 250 ms.
  expect(receiver.requests.length).toBeLessThan(3 + names.length / 50 + (performance.now() - start) / 250);
});

test('a webhook that failed while the clock was ahead does not wait until then', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  await hook(service, receiver);
  // More milliseconds than a timer of Node.js takes.
  const nextAttempt = new Date(Date.now() + 40 * 86_400_000).toISOString();
  await service.database.execute(`UPDATE webhooks SET next_attempt_at = '${nextAttempt}'`);

  await createAll(service, ['late']);

  await vi.waitFor(() => expect(receiver.names).toEqual(['late']));
});

test.for([
  ['is revoked', `UPDATE access_tokens SET revoked_at = '2026-01-01T00:00:00.000Z'`],
  ['has expired', `UPDATE access_tokens SET expires_at = '2026-01-01T00:00:00.000Z'`],
  ['is gone', 'DELETE FROM access_tokens'],
] as const)(
  'a webhook is paused when the token that made it %s, and then belongs to the token that resumes it',
  async ([, statement]) => {
    const service = await startWithHooks();
    const receiver = await Receiver.start();
    const { id: maker, headers } = await issue(service, ['admin', 'plants:read']);
    const body = { url: receiver.url, resource: 'plants' };
    const made = (await service.send('POST', '/webhooks', { body, headers })).body as Hook;
    await createAll(service, ['a']);
    await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
    await waitForState(service, made, { createdBy: maker, behind: 0 });

    await service.database.execute(`${statement} WHERE id = '${maker}'`);

    const lastFailure = `The access token ${maker}, which made or resumed it last, is not valid any more.`;
    await waitForState(service, made, { state: 'paused', lastFailure });
    await service.create({ id: 2, name: 'b' });
    const { cursor: after } = await stateOf(service, made);
    const resumed = await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after } });
    const { id: owner } = (await service.send('GET', '/tokens/current')).body as Hook;
    expect(resumed.body).toMatchObject({ state: 'active', createdBy: owner });
    await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b']));
  },
);

test('a webhook of a subject of the identity provider outlives its JWT', async () => {
  const { provider, service } = await startBoth(ENVIRONMENT, (configuration) =>
    Object.assign(configuration.get(WebhookSettings), SOON),
  );
  const receiver = await Receiver.start();
  const claims = { sub: 'somebody', scope: 'admin plants:read', exp: seconds(-2) };
  const headers = { Authorization: `Bearer ${await provider.token({ claims })}` };
  const body = { url: receiver.url, resource: 'plants' };
  const made = (await service.send('POST', '/webhooks', { body, headers })).body as Hook;
  expect(made).toMatchObject({ createdBy: 'oidc:somebody' });

  await vi.waitFor(
    async () => expect(await service.send('GET', '/webhooks', { headers })).toMatchObject({ status: 401 }),
    { timeout: 15_000 },
  );
  await createAll(service, ['a']);

  await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
});

test('the metrics have the age of the oldest change that a webhook has not got', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const [silent, made] = [await Receiver.start(), await hook(service, receiver)];
  await createAll(service, ['a']);
  await waitForState(service, made, { behind: 0 });
  const lag = async () => (await readMetrics(service)).get('plant_store_webhook_lag_seconds');
  expect(await lag()).toBe(0);

  silent.reactions.push(() => undefined);
  const slow = await hook(service, silent);
  await service.create({ id: 2, name: 'b' });

  await vi.waitFor(async () => expect(await lag()).toBeGreaterThan(1));
  await service.send('DELETE', `/webhooks/${slow.id}`);
  await waitForState(service, made, { behind: 0 });
  expect(await lag()).toBe(0);
});

test('a webhook is paused by 410, and resumed where one says', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  receiver.reactions.push(204, 410);
  const made = await hook(service, receiver);
  await createAll(service, ['a']);
  await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
  await service.create({ id: 2, name: 'b' });
  const reason = 'The receiver returned 410.';
  await waitForState(service, made, { state: 'paused', lastFailure: reason, behind: 1 });
  await service.create({ id: 3, name: 'c' });
  const { cursor } = await stateOf(service, made);
  const metrics = await readMetrics(service);

  const wrong = await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after: 1 } });
  const resumed = await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after: cursor } });
  await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b', 'c']));
  // One that is active moves, too.
  await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after: 0 } });

  await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b', 'c', 'a', 'b', 'c']));
  expect(receiver.requests).toHaveLength(new Set(receiver.requests).size);
  expect(wrong).toMatchObject({ status: 410, body: { error: 41000 } });
  expect(resumed).toMatchObject({ status: 200, body: { state: 'active', cursor } });
  expect(service.log.join('')).toContain(`The webhook ${made.id} is paused: ${reason}`);
  expect(metrics.get('plant_store_webhooks{state="paused"}')).toBe(1);
  expect(metrics.get('plant_store_webhooks{state="active"}')).toBe(0);
});

test('a webhook gets another address, and is resumed where it was unless somebody says more', async () => {
  const service = await startWithHooks();
  const [before, after] = [await Receiver.start(), await Receiver.start()];
  before.reactions.push(410);
  const made = await hook(service, before);
  await createAll(service, ['lost']);
  await waitForState(service, made, { state: 'paused' });
  const send = async (method: string, path: string, body: object) =>
    service.send(method, `/webhooks/${made.id}${path}`, { body });

  expect(await send('PATCH', '', { url: 'not an address' })).toMatchObject({
    status: 400,
    body: { error: 40001 },
  });
  expect(await send('PATCH', '', { url: 'http://192.0.2.1/' })).toMatchObject({
    status: 400,
    body: { error: 40001 },
  });
  expect(await send('PATCH', '', { url: after.url })).toMatchObject({
    status: 200,
    body: { url: after.url },
  });
  expect(await send('POST', '/resume', {})).toMatchObject({ status: 200, body: { state: 'active' } });

  await vi.waitFor(() => expect(after.names).toEqual(['lost']));
  for (const act of ['created', 'given another address', 'resumed'])
    expect(service.log.join('')).toContain(`The webhook ${made.id} was ${act} by `);
});

test('a webhook that is resumed during a request goes on where one says', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const released = Promise.withResolvers<void>();
  receiver.reactions.push(204, (_request, response) => void released.promise.then(() => response.end()));
  const made = await hook(service, receiver);
  await service.create({ id: 1, name: 'a' });
  await waitForState(service, made, { behind: 0 });
  await service.create({ id: 2, name: 'b' });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2));

  await service.send('POST', `/webhooks/${made.id}/resume`, { body: { after: made.cursor } });
  const webhooks = service.app.get(DataSource).getRepository('webhooks');
  await vi.waitFor(async () => expect(await webhooks.countBy({ leaseHolder: '' })).toBe(0));
  released.resolve();

  await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'a', 'b']));
});

test('a webhook is paused after 3 days of failures', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  receiver.reactions.push(...Array.from({ length: 1_000 }, () => 503));
  const made = await hook(service, receiver);
  await createAll(service, ['a']);
  await waitForState(service, made, { state: 'active', lastFailure: 'The receiver returned 503.' });
  const metrics = await readMetrics(service);
  const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000).toISOString();

  await vi.waitFor(async () => {
    // A request that is under way writes the time that it knows.
    await service.database.execute(`UPDATE webhooks SET failing_since = '${threeDaysAgo}'`);
    expect(await stateOf(service, made)).toMatchObject({
      state: 'paused',
      lastFailure: 'It has failed for 3 days. The receiver returned 503.',
    });
  });

  expect(metrics.get('plant_store_webhooks{state="failing"}')).toBe(1);
});

test('a webhook is paused when no changes were kept for a while, with nothing else in the log', async () => {
  const service = await startWithHooks();
  const made = await hook(service, await Receiver.start());
  await service.stop();
  const without = await startWithHooks({ CHANGES_KEPT: '0' }, service.database);
  await createAll(without, ['missed']);
  await without.stop();

  const next = await startWithHooks({}, service.database);

  await waitForState(next, made, { state: 'paused', lastFailure: expect.stringContaining('is not kept') });
  // A server of tests runs without fsync, of which a service warns.
  const warnings = next.log.filter((line) => line.includes('"warn"') && !line.includes('without fsync'));
  expect(warnings).toEqual([expect.stringContaining(`The webhook ${made.id} is paused`)]);
});

test('after a rotation, both secrets sign for a day', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  const made = await hook(service, receiver);

  const rotated = await service.send('POST', `/webhooks/${made.id}/rotate`);
  const { secret } = rotated.body as Hook;
  await createAll(service, ['a']);
  await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
  const [both] = receiver.taken as [Delivered];
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  await service.database.execute(`UPDATE webhooks SET rotated_at = '${yesterday}'`);
  await service.create({ id: 2, name: 'b' });
  await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b']));
  const [, one] = receiver.taken as [Delivered, Delivered];

  expect(rotated).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^whsec_.{44}$/) } });
  for (const each of [made.secret, secret]) expect(() => verify(each, both)).not.toThrow();
  expect(() => verify(secret, one)).not.toThrow();
  expect(() => verify(made.secret, one)).toThrow('signature');
});

test(
  'of two instances one delivers, and gives the webhook back when it stops',
  { timeout: 60_000 },
  async () => {
    const first = await startWithHooks();
    const receiver = await Receiver.start();
    const made = await hook(first, receiver);
    await first.create({ id: 1, name: 'a' });
    await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
    const isShared = inject('database') === 'postgres';
    if (!isShared) {
      await vi.waitFor(async () => expect(await stateOf(first, made)).toMatchObject({ behind: 0 }));
      await first.stop();
    }
    const second = await startWithHooks({}, first.database);
    await second.create({ id: 2, name: 'b' });
    await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b']));
    // A request of which the success is not stored yet would come again.
    await vi.waitFor(async () => expect(await stateOf(second, made)).toMatchObject({ behind: 0 }));
    await first.stop();
    await second.create({ id: 3, name: 'c' });
    await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b', 'c']));

    expect((await second.send('DELETE', `/webhooks/${made.id}`)).status).toBe(204);
    await second.create({ id: 4, name: 'd' });
    expect(receiver.names).toEqual(['a', 'b', 'c']);
  },
);

test('another instance delivers when the lease of one that is gone ends', async () => {
  const service = await startWithHooks();
  const receiver = await Receiver.start();
  await hook(service, receiver);
  const end = new Date(Date.now() + 500);

  await service.database.execute(
    `UPDATE webhooks SET lease_holder = 'gone', lease_until = '${end.toISOString()}'`,
  );
  await service.create({ id: 1, name: 'a' });

  await vi.waitFor(() => expect(receiver.names).toEqual(['a']));
  expect(Date.now()).toBeGreaterThanOrEqual(end.getTime());
});

test.runIf(inject('database') === 'sqlite')(
  'the only service on a database does not wait for a lease that it had before it was killed',
  async () => {
    const killed = await startWithHooks();
    const receiver = await Receiver.start();
    const made = await hook(killed, receiver);
    await killed.create({ id: 1, name: 'a' });
    await vi.waitFor(async () => expect(await stateOf(killed, made)).toMatchObject({ behind: 0 }));
    await killed.stop();
    await killed.database.execute(`UPDATE webhooks SET lease_until = '2099-01-01T00:00:00.000Z'`);

    const service = await startWithHooks({}, killed.database);
    await service.create({ id: 2, name: 'b' });

    await vi.waitFor(() => expect(receiver.names).toEqual(['a', 'b']));
  },
);
