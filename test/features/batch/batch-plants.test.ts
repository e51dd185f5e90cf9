import { expect, inject, test } from 'vitest';
import { MAX_TEXT } from '../../../src/kernel/validation/decorators.js';
import { type Answer, type Service, startService } from '../../support/service.js';
import { overtake } from '../../support/statements.js';

const ALOE = { id: 1, name: 'Aloe', tag: 'succulent' };
const STORED = { ...ALOE, id: 1n };
const NEW = { kind: 'create', body: { id: 2, name: 'Ficus' } };
const ETAG = expect.stringMatching(/^"[0-9a-f]{32}"$/) as string;
const OTHER = '"00000000000000000000000000000000"';

function send(service: Service, operations: unknown): Promise<Answer> {
  return service.send('POST', '/plants/batch', { body: { operations } });
}

test('a batch does its operations in their order, each on what those before it have left', async () => {
  const service = await startService();
  await service.create(ALOE);
  const { headers } = await service.send('GET', '/plants/1');

  const batch = await send(service, [
    { kind: 'patch', id: 1, body: { tag: null }, ifMatch: `${OTHER}, ${headers.get('etag')}` },
    NEW,
    { kind: 'patch', id: 2, body: { tag: 'tree' } },
    { kind: 'put', id: 3, body: { name: 'Cactus' }, ifNoneMatch: '*' },
    { kind: 'put', id: 3, body: { name: 'Agave', id: 7 }, ifMatch: '*' },
    { kind: 'delete', id: 1, ifMatch: '*' },
    { kind: 'create', body: { id: 4, name: 'gone' } },
    { kind: 'delete', id: 4 },
    { kind: 'create', body: { id: 1, name: 'Aloe again' } },
  ]);

  expect(batch).toMatchObject({ status: 200 });
  expect(batch.body).toEqual({
    results: [
      { status: 200, body: { id: 1, name: 'Aloe' }, etag: ETAG },
      { status: 200, body: { id: 2, name: 'Ficus' }, etag: ETAG },
      { status: 200, body: { id: 2, name: 'Ficus', tag: 'tree' }, etag: ETAG },
      { status: 201, body: { id: 3, name: 'Cactus' }, etag: ETAG },
      { status: 200, body: { id: 3, name: 'Agave' }, etag: ETAG },
      { status: 204 },
      { status: 200, body: { id: 4, name: 'gone' }, etag: ETAG },
      { status: 204 },
      { status: 200, body: { id: 1, name: 'Aloe again' }, etag: ETAG },
    ],
  });
  expect(await service.plants()).toEqual([
    { id: 1n, name: 'Aloe again', tag: null },
    { id: 2n, name: 'Ficus', tag: 'tree' },
    { id: 3n, name: 'Agave', tag: null },
  ]);
  const { etag } = (batch.body as { results: { etag: string }[] }).results[4] ?? {};
  expect((await service.send('GET', '/plants/3')).headers.get('etag')).toBe(etag);
});

test('a batch of 1,000 operations keeps every id, and changes and deletes as many', async () => {
  const service = await startService();
  const ids = Array.from({ length: 1000 }, (_, index) => 2n ** 63n - 1n - BigInt(index));
  const write = (operation: (id: string) => string) =>
    service.send('POST', '/plants/batch', {
      body: `{"operations":[${ids.map((id) => operation(String(id))).join()}]}`,
    });

  expect(await write((id) => `{"kind":"create","body":{"id":${id},"name":"${id}"}}`)).toMatchObject({
    status: 200,
  });
  expect(await write((id) => `{"kind":"patch","id":${id},"body":{"tag":"${id}"}}`)).toMatchObject({
    status: 200,
  });
  expect(await service.plants()).toEqual(
    ids.toReversed().map((id) => ({ id, name: String(id), tag: String(id) })),
  );
  expect(await write((id) => `{"kind":"delete","id":${id}}`)).toMatchObject({ status: 200 });
  expect(await service.plants()).toEqual([]);
});

const TAGS = '* or a list of entity tags in quotes';

/** Operations that are refused, with the error. */
const REFUSED = [
  [{ kind: 'create', body: ALOE }, 409, 40900, 'id 1 belongs to a plant exactly like this.'],
  [{ kind: 'create', body: { id: 1, name: 'x' } }, 409, 40900, 'id 1 belongs to another plant.'],
  [NEW, 409, 40900, 'id 2 belongs to a plant exactly like this.'],
  [{ kind: 'patch', id: 3, body: {} }, 404, 40401, 'There is no plant with the id 3.'],
  [{ kind: 'delete', id: 3, ifMatch: '*' }, 404, 40401, 'There is no plant with the id 3.'],
  ...[
    { kind: 'put', id: 1, body: { name: 'x' }, ifNoneMatch: '*' },
    { kind: 'put', id: 3, body: { name: 'x' }, ifMatch: '*' },
    { kind: 'patch', id: 1, body: {}, ifMatch: OTHER },
    { kind: 'delete', id: 2, ifMatch: OTHER },
  ].map(
    (operation) =>
      [operation, 412, 41200, 'The resource does not meet the preconditions of the request.'] as const,
  ),
  ...[null, 7, [], {}, { kind: 'Create' }, { kind: 'toString' }, { kind: ['put'] }].map(
    (operation) => [operation, 400, 40001, 'kind must be one of create, put, patch, delete.'] as const,
  ),
  [{ kind: 'delete' }, 400, 40001, 'id is missing.'],
  [{ kind: 'put', id: 1 }, 400, 40001, 'body is missing.'],
  [{ kind: 'put', id: 1, body: [] }, 400, 40001, 'body must be an object.'],
  [{ kind: 'put', id: 1, body: {} }, 400, 40001, 'name is missing.'],
  [{ kind: 'create', body: { name: 'x' } }, 400, 40001, 'id is missing.'],
  [
    { kind: 'patch', id: 1, body: { name: null } },
    400,
    40001,
    'name must be a string of Unicode characters other than U+0000.',
  ],
  [{ kind: 'delete', id: 1, ifMatch: 'x' }, 400, 40001, `ifMatch must be ${TAGS}.`],
  [{ kind: 'delete', id: 1, ifMatch: null }, 400, 40001, `ifMatch must be ${TAGS}.`],
  [
    { kind: 'put', id: 1, body: { name: 'x' }, ifNoneMatch: OTHER },
    400,
    40001,
    'ifNoneMatch must be one of the following values: *.',
  ],
  ...[{ ifmatch: OTHER }, { ifNoneMatch: '*' }, { path: '/' }].map(
    (other) =>
      [
        Object.assign({ kind: 'delete', id: 1 }, other),
        400,
        40001,
        `${Object.keys(other).join()} is unknown.`,
      ] as const,
  ),
] as const;

test('a batch is refused as its first wrong operation is, and does nothing', async () => {
  const service = await startService();
  await service.create(ALOE);

  for (const [refused, status, error, message] of REFUSED) {
    const batch = await send(
      service,
      [NEW, { kind: 'delete', id: 1 }, { kind: 'put', id: 1, body: ALOE }, refused, {}].slice(
        0,
        status === 400 ? 5 : 4,
      ),
    );

    expect(batch).toMatchObject({ status, body: { error, message: `Operation 4: ${message}` } });
    expect(await service.plants()).toEqual([STORED]);
  }
});

test('small batches of many clients count as what they hold, and leave creates alone', async () => {
  const service = await startService({}, undefined, { writeQueueLimit: 64 });
  const emptyPatch = { kind: 'patch', id: 1, body: {} };

  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      Promise.all([
        send(service, [emptyPatch, emptyPatch]),
        service.create({ id: 10 + index, name: 'Ficus' }),
      ]),
    ),
  );

  expect(answers.map(([batch, created]) => [batch.status, created.status])).toEqual(
    answers.map(() => [404, 200]),
  );
});

test('a batch has 1 to 1,000 operations', async () => {
  const service = await startService();

  for (const operations of [undefined, null, {}, [], Array.from({ length: 1001 }, () => ({}))])
    expect(await send(service, operations)).toMatchObject({
      status: 400,
      body: {
        error: 40001,
        message: `operations ${operations === undefined ? 'is missing' : 'must be an array of 1 to 1000 operations'}.`,
      },
    });
});

test('a batch that would change or delete more than 8 MiB does nothing', async () => {
  const service = await startService();
  const longest = '\u0001'.repeat(MAX_TEXT);
  await service.create({ id: 1, name: longest });
  expect((await service.send('PATCH', '/plants/1', { body: { tag: longest } })).status).toBe(200);
  const patches = Array.from({ length: 998 }, () => ({ kind: 'patch', id: 1, body: {}, ifMatch: '*' }));

  expect(await send(service, [NEW, { kind: 'delete', id: 2 }, ...patches.slice(0, 42)])).toMatchObject({
    status: 200,
  });
  expect(await send(service, [NEW, ...patches])).toMatchObject({
    status: 400,
    body: {
      error: 40001,
      message: 'Operation 44: The batch would change or delete more than 8 MiB. Send several batches.',
    },
  });
  expect((await send(service, [...patches.slice(0, 42), { kind: 'delete', id: 1 }])).status).toBe(400);
  expect(await service.plants()).toHaveLength(1);
});

test.runIf(inject('database') === 'postgres')(
  'batches and creates of several instances on the same plants are done whole or not at all',
  { timeout: 120_000 },
  async () => {
    const first = await startService();
    const services = [first, await startService({}, first.database)];
    const ids = Array.from({ length: 300 }, (_, index) => index + 1);
    const statuses = new Set<number>();

    const client = async (service: Service, number: number) => {
      for (let round = 0; round < 10; round += 1) {
        const batch = `client ${number}, round ${round}`;
        // Some delete what others change, in another order.
        const order = number % 2 === 0 ? ids : ids.toReversed();
        const puts = order.map((plant) => ({ kind: 'put', id: plant, body: { name: batch } }));
        const deletes = order
          .filter((plant) => plant % 4 === (number + round) % 4)
          .map((plant) => ({ kind: 'delete', id: plant }));
        statuses.add((await send(service, [...puts, ...deletes])).status);
        await service.send('PATCH', `/plants/${1 + round}`, { body: { tag: batch } });
      }
    };
    await Promise.all([0, 1, 2, 3].map((number) => client(services[number % 2] as Service, number)));

    expect([...statuses]).toEqual([200]);
    const stored = await first.plants();
    expect(new Set(stored.map((plant) => plant.name)).size).toBe(1);
    expect(stored).toHaveLength(225);
  },
);

test.runIf(inject('database') === 'postgres').for([
  [
    'INSERT',
    { kind: 'create', body: { id: 2, name: 'x' } },
    "INSERT INTO plants (id, name) VALUES (2, 'y')",
    409,
  ],
  [
    'UPDATE',
    { kind: 'patch', id: 1, body: { name: 'x' }, ifMatch: 'ETAG' },
    "UPDATE plants SET tag = 'y'",
    412,
  ],
  ['DELETE', { kind: 'delete', id: 1 }, 'DELETE FROM plants', 404],
] as const)(
  'a batch that another instance overtakes at its %s is undone and decided again',
  async ([overtaken, operation, other, status]) => {
    const service = await startService();
    await service.create(ALOE);
    const { headers } = await service.send('GET', '/plants/1');
    const isOvertaken = overtake(service, overtaken, other);
    const operations = [operation, { kind: 'create', body: { id: 9, name: 'New' } }];
    const body = JSON.stringify({ operations }).replace('"ETAG"', JSON.stringify(headers.get('etag')));

    const refused = await service.send('POST', '/plants/batch', { body });

    expect(isOvertaken()).toBe(true);
    expect(refused.status).toBe(status);
    expect(await service.plants()).not.toContainEqual(expect.objectContaining({ id: 9n }));
  },
);
