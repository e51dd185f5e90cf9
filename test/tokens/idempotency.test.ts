import { expect, test } from 'vitest';
import { type Answer, startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

const TOKEN = { name: 'greenhouse', scopes: ['plants:read'], expiresAt: '2099-01-01T00:00:00Z' };
const WEBHOOK = { url: 'https://receiver.example.org/plants', resource: 'plants', kinds: ['deleted'] };

interface Made {
  readonly id: string;
  readonly secret: string;
}

test.for([
  [
    '/tokens',
    TOKEN,
    [{ name: 'other' }, { scopes: ['metrics:read'] }, { expiresAt: '2098-01-01T00:00:00Z' }],
  ],
  [
    '/webhooks',
    WEBHOOK,
    [{ url: 'https://other.example.org/' }, { kinds: ['created'] }, { ieee754Compatible: true }],
  ],
] as const)('a retried POST %s with a key makes nothing else', async ([path, body, others]) => {
  const service = await startService({ WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-tests' });
  const other = (await issue(service, ['admin', 'plants:read'])).headers;
  const before = ((await service.send('GET', path)).body as unknown[]).length;
  const make = (key: string, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    service.send('POST', path, {
      body: { ...body, ...more },
      headers: { 'Idempotency-Key': key, ...headers },
    });

  const [first, ...retries] = await Promise.all(['"1"', '"1"', '"1"'].map((key) => make(key)));
  const refused = await Promise.all(others.map((more) => make('"1"', more)));
  const distinct = [
    await make('"2"'),
    await make('"1"', {}, other),
    await service.send('POST', path, { body }),
  ];
  const invalid = await Promise.all([' ', 'é', 'x'.repeat(256)].map((key) => make(key)));

  expect(first).toMatchObject({ status: 201, body: { secret: expect.any(String) as string } });
  for (const retry of retries) {
    expect(retry).toMatchObject({ status: 201, body: first?.body });
    expect(retry.headers.get('location')).toBe(first?.headers.get('location'));
  }
  for (const answer of refused) expect(answer).toMatchObject({ status: 422, body: { error: 42200 } });
  for (const answer of distinct) expect(answer).toMatchObject({ status: 201 });
  const made = [first, ...distinct].map((answer) => answer?.body as Made);
  expect(new Set(made.map(({ id }) => id)).size).toBe(4);
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(4);
  for (const answer of invalid) expect(answer).toMatchObject({ status: 400, body: { error: 40002 } });
  const after = (await service.send('GET', path)).body as unknown[];
  expect(after).toHaveLength(before + 4);
});

test('the token of a retry works, and its secret and the key are kept nowhere', async () => {
  const service = await startService();
  const headers = { 'Idempotency-Key': 'a-key-of-my-own' };
  await service.send('POST', '/tokens', { body: TOKEN, headers });

  const { secret } = (await service.send('POST', '/tokens', { body: TOKEN, headers })).body as Made;

  expect(secret).toMatch(/^pst_[0-9a-f]{38}$/);
  const authorization = { Authorization: `Bearer ${secret}` };
  expect(await service.send('GET', '/plants', { headers: authorization })).toMatchObject({ status: 200 });
  const kept = (await service.database.dump()) + service.log.join('');
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain('a-key-of-my-own');
});

test('a retry after the revocation of its token does not make another one', async () => {
  const service = await startService();
  const headers = { 'Idempotency-Key': 'key' };
  const first = (await service.send('POST', '/tokens', { body: TOKEN, headers })).body as Made;
  await service.send('DELETE', `/tokens/${first.id}`);

  const retry = await service.send('POST', '/tokens', { body: TOKEN, headers });

  expect(retry).toMatchObject({
    status: 201,
    body: { id: first.id, revokedAt: expect.any(String) as string },
  });
});
