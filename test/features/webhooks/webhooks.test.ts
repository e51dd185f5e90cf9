import { expect, inject, test, vi } from 'vitest';
import { readMetrics } from '../../support/metrics.js';
import { Receiver } from '../../support/network/receiver.js';
import { startService } from '../../support/service.js';
import { issue } from '../../support/tokens.js';
import { hook, KEY, startWithHooks, stateOf } from './hooks.js';

const URL = 'https://receiver.example.org/hook';

/** On one webhook, by their paths behind its own. */
const OPERATIONS = [
  ['GET', '', undefined],
  ['DELETE', '', undefined],
  ['GET', '/deliveries', undefined],
  ['POST', '/test', undefined],
  ['POST', '/pause', undefined],
  ['POST', '/resume', { after: 0 }],
  ['POST', '/rotate', undefined],
] as const;

test('a webhook is made, listed and deleted, and its secret shown once and kept nowhere', async () => {
  const service = await startWithHooks({ LOG_LEVEL: 'trace' });
  const receiver = await Receiver.start();

  const { secret, ...made } = await hook(service, { url: URL }, { unknown: true });
  const other = await hook(service, receiver, { kinds: ['deleted'] });
  const listed = await service.send('GET', '/webhooks');
  const deleted = await service.send('DELETE', `/webhooks/${other.id}`);
  await service.create({ id: 1, name: 'a' });
  await service.send('DELETE', '/plants/1');

  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secret).not.toBe(other.secret);
  expect(made).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    url: URL,
    resource: 'plants',
    kinds: ['created', 'changed', 'deleted'],
    createdAt: expect.any(String) as string,
    createdBy: expect.any(String) as string,
    state: 'active',
    cursor: expect.any(Number) as number,
    behind: 0,
  });
  expect(listed.body).toMatchObject([made, { id: other.id, kinds: ['deleted'] }]);
  expect(deleted.status).toBe(204);
  for (const [method, path, body] of OPERATIONS)
    expect(await service.send(method, `/webhooks/${other.id}${path}`, { body })).toMatchObject({
      status: 404,
      body: { error: 40401, message: `There is no webhook with the id ${other.id}.` },
    });
  await vi.waitFor(async () => expect(await stateOf(service, made)).toHaveProperty('lastFailure'));
  expect(receiver.requests).toEqual([]);
  const seen = [...service.log, await service.database.dump(), listed.text].join('');
  for (const text of [secret, secret.slice(6), KEY]) expect(seen).not.toContain(text);
});

const LONG = `https://a/${'x'.repeat(2_039)}`;

const VALID = { url: URL, resource: 'plants' };

const REFUSED = [
  [{ url: undefined }, 'url is missing'],
  [{ url: 'https://' }, 'url must be'],
  [{ url: 'ftp://a.example/' }, 'url must be an https address'],
  [{ url: 'https://a.example/#x' }, 'url must be an https address without a fragment'],
  [{ url: ' https://a.example/' }, 'url must be an https address'],
  [{ url: 'https://ä.example/' }, 'url must be an https address'],
  [{ url: 'https://user:password@a.example/' }, 'url must be a URL without credentials'],
  [{ url: 'https://[::1' }, 'url must be a URL'],
  [{ url: LONG }, 'url must be shorter than or equal to 2048 characters'],
  [{ url: 'http://a.example/' }, 'url must begin with https://, unless WEBHOOK_ADDRESSES'],
  [{ url: 'http://8.8.8.8/' }, 'url must lead to a public address by https'],
  [{ url: 'https://127.0.0.1/' }, 'url must lead to a public address'],
  [{ url: 'https://[::ffff:10.0.0.1]:8443/' }, 'url must lead to a public address'],
  [{ url: 'https://0x7f.1/' }, 'url must lead to a public address'],
  [{ resource: undefined }, 'resource is missing'],
  [{ resource: 'stones' }, 'resource must be among .*plants'],
  [{ kinds: [] }, 'kinds must be a list of one or more of created, changed, deleted, each once'],
  [{ kinds: ['created', 'created'] }, 'kinds must be a list'],
  [{ kinds: ['replaced'] }, 'kinds must be a list'],
  [{ kinds: 'created' }, 'kinds must be a list'],
  [{ kinds: null }, 'kinds must be a list'],
] as const;

test('a webhook that cannot be is refused, and says why', async () => {
  const service = await startWithHooks({ WEBHOOK_ADDRESSES: '' });

  for (const [body, message] of REFUSED)
    expect
      .soft(await service.send('POST', '/webhooks', { body: { ...VALID, ...body } }), JSON.stringify(body))
      .toMatchObject({ status: 400, body: { error: 40001, message: expect.stringMatching(`^${message}`) } });

  expect((await service.send('GET', '/webhooks')).text).toBe('[]');
});

test('an address that a setting names may be private, and by http', async () => {
  const service = await startWithHooks({ WEBHOOK_ADDRESSES: '10.0.0.0/8, fd00::/8,127.0.0.1' });

  for (const host of ['10.1.2.3', '[fd00::1]', '127.0.0.1', 'receiver'])
    for (const scheme of ['http', 'https']) await hook(service, { url: `${scheme}://${host}/` });
  for (const host of ['11.1.2.3', '[fc00::1]', '127.0.0.2'])
    expect(
      await service.send('POST', '/webhooks', { body: { ...VALID, url: `http://${host}/` } }),
    ).toMatchObject({ body: { message: expect.stringMatching(/^url must /) } });
});

test('there are 100 webhooks at most, also when instances make more at the same time', async () => {
  const service = await startWithHooks();
  const isShared = inject('database') === 'postgres';
  const other = isShared ? await startWithHooks({}, service.database) : service;

  const made = await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      (index % 2 === 0 ? service : other).send('POST', '/webhooks', { body: VALID }),
    ),
  );

  const refused = made.filter(({ status }) => status !== 201);
  expect(new Set(refused.map(({ text }) => text))).toEqual(
    new Set(['{"error":40904,"message":"There are 100 webhooks. Delete one first."}']),
  );
  expect(refused).toHaveLength(20);
  expect((await service.send('GET', '/webhooks')).body).toHaveLength(100);
});

test('a token that may not read a resource has nothing to do with its webhooks', async () => {
  const service = await startWithHooks();
  const { id } = await hook(service, { url: URL });
  const [admin, reader] = [await issue(service, ['admin']), await issue(service, ['admin', 'plants:read'])];

  const operations = OPERATIONS.map(([method, path, body]) => [method, `/${id}${path}`, body] as const);
  for (const [method, path, body] of [...operations, ['POST', '', VALID] as const])
    expect(
      await service.send(method, `/webhooks${path}`, { body, headers: admin.headers }),
      `${method} ${path}`,
    ).toMatchObject({
      status: 403,
      body: {
        error: 40300,
        message: 'The access token lacks the scope plants:read, and a webhook sends its plants.',
      },
    });

  expect((await service.send('GET', '/webhooks', { headers: admin.headers })).body).toEqual([]);
  expect((await service.send('GET', '/webhooks', { headers: reader.headers })).body).toMatchObject([{ id }]);
  expect(await service.send('DELETE', `/webhooks/${id}`, { headers: reader.headers })).toMatchObject({
    status: 204,
  });
});

test('a webhook of a resource that the service no longer has is off, and admin is enough to delete it', async () => {
  const service = await startWithHooks();
  const { id } = await hook(service, { url: URL });
  const { headers } = await issue(service, ['admin']);

  await service.database.execute(`UPDATE webhooks SET resource = 'gone', lease_until = ''`);

  expect((await service.send('GET', '/webhooks', { headers })).body).toMatchObject([{ id, state: 'off' }]);
  expect((await readMetrics(service)).get('plant_store_webhooks{state="off"}')).toBe(1);
  expect(await service.send('DELETE', `/webhooks/${id}`, { headers })).toMatchObject({ status: 204 });
});

test.for([
  [
    { WEBHOOK_KEY: '' },
    'The service has no WEBHOOK_KEY.',
    40904,
    'Webhooks need the setting WEBHOOK_KEY of the service.',
  ],
  [{ CHANGES_KEPT: '0' }, 'The service keeps no changes.', 41000, 'The service keeps no changes.'],
] as const)(
  'with %o no webhook is made, those that exist are off, and the log, the API and the metrics say so',
  async ([environment, reason, error, message]) => {
    const before = await startWithHooks();
    const made = await hook(before, { url: URL });
    await before.stop();

    const service = await startService({ WEBHOOK_KEY: KEY, ...environment }, before.database);

    expect(service.log.join('')).toContain(`Webhooks that get no changes: 1. ${reason}`);
    expect(await stateOf(service, made)).toMatchObject({ state: 'off' });
    expect(await service.send('POST', '/webhooks', { body: VALID })).toMatchObject({
      status: Math.floor(error / 100),
      body: { error, message },
    });
    const metrics = await readMetrics(service);
    expect(metrics.get('plant_store_webhooks{state="off"}')).toBe(1);
    expect(metrics.get('plant_store_webhooks{state="active"}')).toBe(0);
  },
);
