import { expect, test } from 'vitest';
import { startService } from '../support/service.js';

const ETAG = /^"[0-9a-f]{32}"$/;
const BATCH = { operations: [{ kind: 'create', body: { id: 3, name: 'a' } }] };
const REFUSED = { operations: [{ kind: 'create', body: { id: 1, name: 'a' } }] };

/** Writes in their order, each with the status that it has with a preference for no body, and whether it has an entity tag. */
const WRITES = [
  ['POST', '/plants', { id: 1, name: 'a' }, 204, false],
  ['PUT', '/plants/2', { name: 'a' }, 201, true],
  ['PUT', '/plants/2', { name: 'b' }, 204, true],
  ['PATCH', '/plants/2', { tag: 't' }, 204, true],
  ['POST', '/plants/batch', BATCH, 204, false],
] as const;

test('a write has no body where the client prefers that, and does the same', async () => {
  const service = await startService();

  for (const [method, path, body, status, hasTag] of WRITES) {
    const answer = await service.send(method, path, {
      body,
      headers: { Prefer: 'respond-async, Return = "minimal"; foo' },
    });
    const { headers } = answer;
    expect([answer.status, answer.text], `${method} ${path}`).toEqual([status, '']);
    expect(headers.get('preference-applied')).toBe('return=minimal');
    expect(headers.get('content-type')).toBeNull();
    if (hasTag) expect(headers.get('etag')).toMatch(ETAG);
  }

  expect(await service.plants()).toEqual([
    { id: 1n, name: 'a', tag: null },
    { id: 2n, name: 'b', tag: 't' },
    { id: 3n, name: 'a', tag: null },
  ]);
});

test('a write that fails has an Error whatever the client prefers', async () => {
  const service = await startService();
  const headers = { Prefer: 'return=minimal' };
  await service.create({ id: 1, name: 'b' });

  const answers = [
    await service.create({ id: 1, name: 'a' }, headers),
    await service.send('PATCH', '/plants/2', { body: {}, headers }),
    await service.send('POST', '/plants/batch', { body: REFUSED, headers }),
  ];

  expect(answers.map(({ body }) => (body as { error: number }).error)).toEqual([40900, 40401, 40900]);
  for (const answer of answers) expect(answer.headers.get('preference-applied')).toBeNull();
});

test('another preference, and one where the body has a secret, changes nothing', async () => {
  const service = await startService();

  const others = ['return=representation', 'return=minimalist', 'x="return=minimal', 'handling=strict'];
  for (const [id, preference] of others.entries()) {
    const answer = await service.create({ id, name: 'a' }, { Prefer: preference });
    expect(answer).toMatchObject({ status: 200, body: { name: 'a' } });
    expect(answer.headers.get('preference-applied')).toBeNull();
  }
  const body = { name: 'greenhouse', scopes: ['plants:read'] };
  const headers = { Prefer: 'return=minimal' };
  const made = await service.send('POST', '/tokens', { body, headers });
  expect(made).toMatchObject({ status: 201, body: { secret: expect.any(String) as string } });
});

test('an Accept that no media type of the service satisfies is ignored', async () => {
  const service = await startService();

  for (const accept of [
    'text/html',
    'application/xml;q=1, image/*',
    'application/json;q=0',
    'nonsense',
    '*/*;q=0',
  ])
    for (const path of ['/plants', '/plants/changes?after=0', '/plants/404']) {
      const { headers, body } = await service.send('GET', path, { headers: { Accept: accept } });
      expect(headers.get('content-type'), `${accept} ${path}`).toBe('application/json');
      expect(body).toBeDefined();
    }
});
