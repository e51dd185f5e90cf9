import { expect, test, vi } from 'vitest';
import { AccessTokensService } from '../../src/kernel/auth/access-tokens.service.js';
import type { Document } from '../contract/document.js';
import { plantStore } from '../support/command-line.js';
import { type Answer, importRequest, type Service, startService } from '../support/service.js';

type Send = (method: string, path: string, body?: object) => Promise<Answer>;

/** Sends requests with a new token of this name. */
async function callerOf(
  service: Service,
  name: string,
  scopes = ['offers:own'],
): Promise<Send & { token: string; id: string }> {
  const { token, secret } = await service.app
    .get(AccessTokensService)
    .issue({ name, scopes, expiresAt: null });
  const headers = { Authorization: `Bearer ${secret}` };
  const send: Send = (method, path, body) =>
    Array.isArray(body)
      ? service.request(path, importRequest(body, headers))
      : service.send(method, path, { body, headers });
  return Object.assign(send, { token: secret, id: token.id });
}

/** Two people with offers of their own, and a caller who may see and change all. */
async function startWithOffers() {
  const service = await startService({ SEARCH: 'on' });
  const [ann, bob] = [await callerOf(service, 'Ann'), await callerOf(service, 'Bob')];
  const all: Send = (method, path, body) => service.send(method, path, { body });
  for (const id of [1, 2, 3])
    await ann('POST', '/offers', { id, title: `secret ${id}`, price: 100 * id, currency: 'EUR' });
  await bob('POST', '/offers', { id: 10, title: 'secretly mine', price: 200, currency: 'EUR' });
  return { service, ann, bob, all };
}

const BOBS = {
  id: 10,
  title: 'secretly mine',
  price: 200,
  currency: 'EUR',
  owner: 'token:Bob',
  state: 'open',
};

const PUT_10 = { kind: 'put', id: 10, body: { title: 'mine' } };

/** A request for each operation and each of its forms, what it returns, and what of that a stranger may get. */
const OPERATIONS: readonly (readonly [
  operation: string,
  path: string,
  body: object | undefined,
  status: number,
  expected: unknown,
])[] = [
  ['GET /offers', '/offers?total=true', undefined, 200, [BOBS]],
  ['GET /offers', '/offers?limit=1', undefined, 200, [BOBS]],
  ['GET /offers', '/offers?after=0', undefined, 200, [BOBS]],
  ['GET /offers', '/offers?ids=1,2,10', undefined, 200, [BOBS]],
  ['GET /offers', '/offers?minPrice=100&maxPrice=300', undefined, 200, [BOBS]],
  ['GET /offers', '/offers?search=secret&total=true', undefined, 200, [BOBS]],
  ['GET /offers', '/offers?search=s&total=true', undefined, 200, [BOBS]],
  ['GET /offers/count', '/offers/count', undefined, 200, { count: 1 }],
  ['GET /offers/count', '/offers/count?search=secret', undefined, 200, { count: 1 }],
  ['GET /offers/count', '/offers/count?minPrice=100', undefined, 200, { count: 1 }],
  ['GET /offers/export', '/offers/export', undefined, 200, [BOBS]],
  ['GET /offers/{id}', '/offers/1', undefined, 404, { error: 40401 }],
  ['GET /offers/{id}', '/offers/10', undefined, 200, BOBS],
  [
    'POST /offers',
    '/offers',
    { id: 1, title: 'secret 1', price: 100, currency: 'EUR' },
    409,
    { message: 'id 1 belongs to another offer.' },
  ],
  [
    'POST /offers/import',
    '/offers/import',
    [
      { id: 1, title: 'secret 1', price: 100, currency: 'EUR' },
      { ...BOBS, owner: 'token:Ann' },
    ],
    200,
    [{ status: 409, message: 'id 1 belongs to another offer.' }, { status: 200 }],
  ],
  ['PUT /offers/{id}', '/offers/1', { title: 'mine' }, 409, { error: 40900 }],
  ['PATCH /offers/{id}', '/offers/1', { title: 'mine' }, 404, { error: 40401 }],
  ['DELETE /offers/{id}', '/offers/1', undefined, 404, { error: 40401 }],
  [
    'POST /offers/batch',
    '/offers/batch',
    { operations: [PUT_10, { kind: 'create', body: { id: 1, title: 'mine' } }] },
    409,
    { message: 'Operation 2: id 1 belongs to another offer.' },
  ],
  [
    'POST /offers/batch',
    '/offers/batch',
    { operations: [PUT_10, { ...PUT_10, id: 1 }] },
    409,
    { error: 40900 },
  ],
  [
    'POST /offers/batch',
    '/offers/batch',
    { operations: [PUT_10, { kind: 'patch', id: 1, body: {} }] },
    404,
    { error: 40401 },
  ],
  [
    'POST /offers/batch',
    '/offers/batch',
    { operations: [PUT_10, { kind: 'delete', id: 1 }] },
    404,
    { error: 40401 },
  ],
  ['POST /offers/{id}/decision', '/offers/1/decision', { state: 'approved' }, 403, { error: 40300 }],
  ['GET /offers/changes', '/offers/changes?after=0', undefined, 200, [{ kind: 'created', offer: BOBS }]],
];

test('whoever has offers:own sees and changes only what is theirs, by every operation of the contract', async () => {
  const { service, ann, bob } = await startWithOffers();
  await vi.waitUntil(() => service.log.some((line) => line.includes('offers_search is complete')));
  const document = (await service.request('/openapi.json')).body as Document;
  const before = await ann('GET', '/offers');

  for (const [operation, path, body, status, expected] of OPERATIONS) {
    const answer = await bob(operation.split(' ')[0] ?? '', path, body);
    expect.soft(answer, `${operation} ${path}`).toMatchObject({ status, body: expected });
    expect.soft(answer.text, `${operation} ${path}`).not.toMatch(/secret \d|token:Ann|clerk/);
    expect.soft(answer.headers.get('x-total-count') ?? '1', path).toBe('1');
    expect.soft(answer.headers.has('link'), path).toBe(path.includes('changes'));
  }

  const walked = new Set(OPERATIONS.map(([operation]) => operation));
  const offered = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/offers'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  expect([...walked].toSorted()).toEqual(offered.toSorted());
  expect(document.paths['/offers']?.['get']?.security).toEqual([
    { bearer: ['offers:read'] },
    { bearer: ['offers:own'] },
  ]);
  expect((await ann('GET', '/offers')).text).toBe(before.text);
  expect(before.body).toHaveLength(3);
});

test.for([
  ['application/x-ndjson', /^\{[^\n]+"owner":"token:Bob","state":"open"\}\}\n$/],
  [
    'text/event-stream',
    /^id: \d+\nevent: change\ndata: \{[^\n]+"owner":"token:Bob","state":"open"\}\}\n\n: \nid: \d+\nretry: 1000\n\n$/,
  ],
] as const)('changes of others are in no stream of the form %s', async ([accept, expected]) => {
  const { service, ann, bob } = await startWithOffers();
  const response = await fetch(`${service.url}/offers/changes?after=0`, {
    headers: { Authorization: `Bearer ${bob.token}`, Accept: accept },
  });

  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.includes('retry')) break;
  }
  await ann('DELETE', '/offers/1');

  expect(text).toMatch(expected);
});

test('an owner is the person: a new token of the same name has the offers of the one before', async () => {
  const { service, ann } = await startWithOffers();
  const again = await callerOf(service, 'Ann');
  const other = await callerOf(service, 'Ann ');

  expect((await again('GET', '/offers')).text).toBe((await ann('GET', '/offers')).text);
  expect((await other('GET', '/offers')).body).toEqual([]);
});

test('one scope of several lets a caller in, and an Error names them', async () => {
  const { service, all } = await startWithOffers();
  const reader = await callerOf(service, 'Reader', ['offers:read']);

  expect((await reader('GET', '/offers')).body).toHaveLength(4);
  expect((await all('GET', '/offers')).body).toHaveLength(4);
  expect(await reader('DELETE', '/offers/1')).toMatchObject({
    status: 403,
    body: { message: 'The access token lacks the scope offers:write, or offers:own.' },
  });
});

test('an open offer is approved or rejected once, however many decide at once, and its changes say by whom', async () => {
  const { service, ann, all } = await startWithOffers();
  const clerk = await callerOf(service, 'Clerk', ['offers:read', 'offers:write']);

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      clerk('POST', '/offers/1/decision', { state: index % 2 === 0 ? 'approved' : 'rejected' }),
    ),
  );
  const done = answers.filter(({ status }) => status === 200);
  const edited = await ann('PATCH', '/offers/1', { title: 'secret 1b', state: 'open' });

  expect(done).toHaveLength(1);
  const { state } = done.map(({ body }) => body as { state: string })[0] ?? {};
  for (const refused of answers.filter((answer) => answer !== done[0]))
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 40_950, message: `The offer is ${state} already.` },
    });
  expect(edited.body).toMatchObject({ title: 'secret 1b', state });
  await vi.waitFor(async () =>
    expect((await all('GET', '/offers/changes?after=0&id=1')).body).toMatchObject([
      { kind: 'created', offer: { state: 'open' } },
      { kind: 'changed', by: clerk.id, offer: { state, title: 'secret 1' } },
      { kind: 'changed', by: ann.id, offer: { state } },
    ]),
  );
});

test('no client changes an owner, a state or a hidden column, by any operation', async () => {
  const { ann, all } = await startWithOffers();
  const forged = { title: 'new', owner: 'token:Bob', state: 'approved', clerk: 'Bob' };

  await all('PUT', '/offers/1', forged);
  await ann('PATCH', '/offers/2', forged);
  await all('POST', '/offers/batch', { operations: [{ kind: 'put', id: 3, body: forged }] });
  await ann('POST', '/offers/batch', { operations: [{ kind: 'create', body: { id: 4, ...forged } }] });
  await ann('PUT', '/offers/5', forged);
  await ann('POST', '/offers/import', [{ id: 6, ...forged }]);

  expect((await all('GET', '/offers?ids=1,2,3,4,5,6')).body).toMatchObject(
    [1, 2, 3, 4, 5, 6].map((id) => ({ id, title: 'new', owner: 'token:Ann', state: 'open' })),
  );
});

test('a hidden column changes no entity tag, and a write under a condition keeps it', async () => {
  const { service, ann } = await startWithOffers();
  const { headers } = await ann('GET', '/offers/1');
  await service.database.execute(`UPDATE offers SET clerk = 'Cleo' WHERE id = 1`);

  expect((await ann('GET', '/offers/1')).headers.get('etag')).toBe(headers.get('etag'));
  await service.send('PUT', '/offers/1', {
    body: { title: 'new' },
    headers: { 'If-Match': headers.get('etag') ?? '' },
  });
  await service.database.execute(`UPDATE offers SET title = clerk WHERE id = 1`);
  expect((await ann('GET', '/offers/1')).body).toMatchObject({ title: 'Cleo' });
});

test('offers move with the command line, owners included and hidden columns left out', async () => {
  const { service, all } = await startWithOffers();
  const before = await all('GET', '/offers');
  const { stdout } = await plantStore(service.database, ['export', '--of', 'offers']);
  await plantStore(service.database, ['import', '--of', 'offers'], stdout);
  await service.database.execute('DELETE FROM offers');
  await plantStore(service.database, ['import', '--of', 'offers'], stdout);

  expect(stdout).not.toContain('clerk');
  expect((await all('GET', '/offers')).text).toBe(before.text);
});

test.for([
  ['create', 'POST', '/offers', { id: 7, title: 'x', price: 1 }],
  ['replace', 'PUT', '/offers/1', { title: 'x', currency: 'EUR' }],
  ['create by a PUT', 'PUT', '/offers/7', { title: 'x', currency: 'EUR' }],
  ['patch', 'PATCH', '/offers/1', { currency: null }],
  ['batch', 'POST', '/offers/batch', { operations: [{ kind: 'patch', id: 1, body: { price: null } }] }],
  ['import', 'POST', '/offers/import', [{ id: 7, title: 'x', price: 1 }]],
] as const)(
  'a %s is refused that leaves a price without a currency, or the other way round',
  async ([, method, path, body]) => {
    const { ann } = await startWithOffers();
    const before = await ann('GET', '/offers');

    const answer = await ann(method, path, body);

    expect(answer.text).toMatch(/price and currency need each other\./);
    expect(answer.text).toContain('40001');
    expect((await ann('GET', '/offers')).text).toBe(before.text);
  },
);

test('a cursor leads through the prices between two bounds, and not out of them', async () => {
  const { all } = await startWithOffers();
  const first = await all('GET', '/offers?minPrice=150&maxPrice=250&limit=1');
  const [, next = ''] = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
  const last = await all('GET', `/offers${next}`);

  expect([first.body, last.body].flat()).toMatchObject([{ id: 2 }, { id: 10 }]);
  expect(await all('GET', '/offers?minPrice=150&after=100,0')).toMatchObject({
    status: 400,
    body: { error: 40002 },
  });
  expect((await all('GET', '/offers?maxPrice=250&after=200,10')).body).toEqual([]);
});
