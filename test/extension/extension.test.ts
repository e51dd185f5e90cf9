import { describe, expect, inject, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { changesAfter } from '../support/network/changes.js';
import { Receiver } from '../support/network/receiver.js';
import { importRequest, type Service, startService } from '../support/service.js';
import { OldWaterings } from './waterings/old-waterings.job.js';

const IS_POSTGRES = inject('database') === 'postgres';

describe('a field of plants with a default', () => {
  test('has it after a create, a PUT and an import without the field, and keeps its value in a PATCH', async () => {
    const service = await startService();
    const find = async (id: number) => (await service.send('GET', `/plants/${id}`)).body;

    const created = await service.create({ id: 1, name: 'Aloe' });
    await service.create({ id: 2, name: 'Fern', light: 'dark' });
    await service.request('/plants/import', importRequest([{ id: 3, name: 'Agave' }]));
    const patched = await service.send('PATCH', '/plants/2', { body: { name: 'Lady fern' } });
    const put = await service.send('PUT', '/plants/1', { body: { name: 'Aloe vera' } });

    expect(created.body).toEqual({ name: 'Aloe', light: 'medium' });
    expect(patched.body).toEqual({ id: 2, name: 'Lady fern', light: 'dark' });
    expect(put.body).toEqual({ id: 1, name: 'Aloe vera', light: 'medium' });
    expect(await find(3)).toEqual({ id: 3, name: 'Agave', light: 'medium' });
  });

  test.for([['PATCH'], ['PUT']] as const)('is not removed by a %s with null', async ([method]) => {
    const service = await startService();
    await service.create({ id: 1, name: 'Fern', light: 'dark' });

    const answer = await service.send(method, '/plants/1', { body: { name: 'Fern', light: null } });

    expect(answer).toMatchObject({ status: 400, body: { error: 40001 } });
    expect((await service.send('GET', '/plants/1')).body).toMatchObject({ light: 'dark' });
  });
});

const day = (number: number) => `2026-03-0${number}T08:30:00.000Z`;

/** More than one transaction deletes. */
const OLD_WATERINGS = `INSERT INTO waterings (id, plant, at, litres, method)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
  SELECT CAST(i AS TEXT), 1, '2001-01-01T00:00:00.' || i || 'Z', 1, 'can' FROM n`;

async function startWithPlants() {
  const service = await startService({
    WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-tests',
    WEBHOOK_ADDRESSES: '127.0.0.0/8,::1',
  });
  for (const id of [1, 2]) await service.create({ id, name: 'Aloe' });
  const water = async (plant: number, at: unknown, fields: object = {}) =>
    service.send('POST', `/plants/${plant}/waterings`, { body: { at, litres: 0.5, ...fields } });
  const list = async (query = '') => service.send('GET', `/plants/1/waterings${query}`);
  const patch = async (id: unknown, body: object) =>
    service.send('PATCH', `/waterings/${String(id)}`, { body });
  return { service, water, list, patch };
}

describe('waterings', () => {
  test('belong to one plant and are listed the newest first, page by page', async () => {
    const { water, list } = await startWithPlants();

    const created = await water(1, '2026-03-02T09:30:00+01:00', { litres: 0.1 });
    for (const number of [1, 3]) await water(1, day(number));
    await water(2, day(4));
    const { body: all } = await list();
    const first = await list('?limit=2');
    const last = await list(/<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]);

    expect(created).toMatchObject({ status: 201, body: { plant: 1, at: day(2), litres: 0.1 } });
    expect(all).toMatchObject([{ at: day(3) }, created.body, { at: day(1) }]);
    expect([first.body, last.body].flat()).toEqual(all);
  });

  test.for([
    ['404 without their plant', 3, day(1), {}, 404, 40401],
    ['400 on a date without a time', 1, '2026-03-01', {}, 400, 40001],
    ['400 without water', 1, day(1), { litres: 0 }, 400, 40001],
    ['409 at the moment of another one', 1, day(5), {}, 409, 40902],
  ] as const)('are refused with %s, and others are not', async ([, plant, at, fields, status, error]) => {
    const { water } = await startWithPlants();
    await water(1, day(5));

    const [other, refused] = await Promise.all([water(1, day(2)), water(plant, at, fields)]);

    expect(other.status).toBe(201);
    expect(refused).toMatchObject({ status, body: { error } });
  });

  test('are created once when many come for one moment', async () => {
    const { water, list } = await startWithPlants();

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => water(1, day(1 + (index % 5)))),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ body }) => (body as { error?: number }).error === 40902)).toHaveLength(45);
    expect((await list()).body).toHaveLength(5);
  });

  test.for([
    ['a required field', { litres: null }, 400, 40001],
    ['a value that is taken', { at: day(1) }, 409, 40902],
  ] as const)('refuse a patch of %s', async ([, body, status, error]) => {
    const { water, patch, list } = await startWithPlants();
    await water(1, day(1));
    const { body: watering } = await water(1, day(2), { celsius: 20.5 });
    const before = await list();

    expect(await patch((watering as { id: string }).id, body)).toMatchObject({ status, body: { error } });
    expect((await list()).body).toEqual(before.body);
  });

  test('lose an optional number to null, which the contract says of that alone', async () => {
    const { service, water, patch } = await startWithPlants();
    const { body } = await water(1, day(1), { celsius: 20.5 });

    const patched = await patch((body as { id: string }).id, { celsius: null });
    const { components } = (await service.request('/openapi.json')).body as {
      components: { schemas: Record<string, { properties: Record<string, object>; required?: string[] }> };
    };

    expect(patched.body).not.toHaveProperty('celsius');
    const { properties, required } = components.schemas['WateringPatch'] ?? { properties: {} };
    expect(required ?? []).toEqual([]);
    expect(properties).toMatchObject({
      celsius: { type: ['number', 'null'] },
      litres: { type: 'number' },
      method: { type: 'string', enum: ['can', 'hose', 'rain'] },
    });
    expect(properties['method']).not.toHaveProperty('default');
  });

  test('have changes of their own, with every column', async () => {
    const { service, water, patch } = await startWithPlants();
    const first = await water(1, day(1), { celsius: 7.5, method: 'hose' });
    const { id } = first.body as { id: string };
    const patched = await patch(id, { litres: 2, celsius: null });
    await service.send('DELETE', '/plants/1/waterings');

    await vi.waitFor(async () =>
      expect((await service.send('GET', '/waterings/changes?after=0')).body).toMatchObject([
        { kind: 'created', watering: first.body },
        { kind: 'changed', watering: patched.body },
        { kind: 'deleted', watering: patched.body },
      ]),
    );
    expect(await changesAfter(service, 0)).toHaveLength(2);
  });

  test('keep their plant until they are deleted', async () => {
    const { service, list } = await startWithPlants();
    await service.database.execute(OLD_WATERINGS);

    expect(await service.send('DELETE', '/plants/1')).toMatchObject({ status: 409, body: { error: 40903 } });
    expect((await service.send('DELETE', '/plants/1/waterings')).status).toBe(204);
    expect((await list()).body).toEqual([]);
    expect((await service.send('DELETE', '/plants/1')).status).toBe(204);
    expect(await list()).toMatchObject({ status: 404, body: { error: 40401 } });
  });

  test('are added up exactly, in a report', async () => {
    const { service, water } = await startWithPlants();
    await service.create('{"id":9007199254740993,"name":"Aloe"}');
    await water(1, day(1), { litres: 2 });
    await service.database.execute(
      `INSERT INTO waterings (id, plant, at, litres, method)
       VALUES ('a', 9007199254740993, 'a', 1.5, 'can'), ('b', 9007199254740993, 'b', 1.5, 'can')`,
    );

    expect((await service.send('GET', '/waterings/totals')).text).toBe(
      '[{"plant":9007199254740993,"times":2,"total":3},{"plant":1,"times":1,"total":2}]',
    );
  });

  test('are deleted when they are old, by one instance, while others are created', async () => {
    const { service, water, list } = await startWithPlants();
    const other = await startService({}, service.database);
    await service.database.execute(OLD_WATERINGS);
    const jobs = [service, other].map(({ app }) => app.get(OldWaterings, { strict: false }));

    const [deleted, { status }] = await Promise.all([
      Promise.all(jobs.slice(0, IS_POSTGRES ? 2 : 1).map(async (job) => job.clean())),
      water(1, day(1)),
    ]);

    expect(deleted.reduce((sum, count) => sum + count)).toBe(1_100);
    expect(status).toBe(201);
    expect((await list()).body).toMatchObject([{ at: day(1) }]);
  });

  test('that are old are deleted in whole slices when the service stops', async () => {
    const { service } = await startWithPlants();
    await service.database.execute(OLD_WATERINGS);

    const cleaning = service.app.get(OldWaterings, { strict: false }).clean();
    await service.stop();
    const deleted = await cleaning;
    const next = await startService({}, service.database);

    expect(deleted % 500).toBe(0);
    expect(deleted + (await next.app.get(OldWaterings, { strict: false }).clean())).toBe(1_100);
  });

  test('move with the command line, also those without a field that has a default', async () => {
    const { service, water, list } = await startWithPlants();
    const { body } = await water(1, day(1));
    const { stdout } = await plantStore(service.database, ['export', '--of', 'waterings']);
    await service.database.execute('DELETE FROM waterings');

    const lines = stdout.replace(',"method":"can"', '');
    await plantStore(service.database, ['import', '--of', 'waterings'], lines);

    expect(lines).not.toBe(stdout);
    expect((await list()).body).toEqual([body]);
  });

  test('have webhooks of their own', async () => {
    const { service, water } = await startWithPlants();
    const receiver = await Receiver.start();
    const { url } = receiver;
    const refused = await service.send('POST', '/webhooks', { body: { url, resource: 'photos' } });
    const made = await service.send('POST', '/webhooks', { body: { url, resource: 'waterings' } });

    await water(1, day(1));

    expect(refused.body).toMatchObject({
      message: 'resource must be among gardens, offers, plants, waterings.',
    });
    expect(made).toMatchObject({ status: 201, body: { resource: 'waterings' } });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
    expect(receiver.requests[0]?.body).toMatch(/^\{"type":"waterings.changed",.*"watering":\{"id":/);
  });
});

/** Ids that a JavaScript number rounds, beside some that it does not. */
const IDS = ['1', '2', '9007199254740993', '9223372036854775807'];

async function startWithGardens() {
  const service = await startService();
  await Promise.all(IDS.map((id) => service.create(`{"id":${id},"name":"Aloe ${id}"}`)));
  const send = async (method: string, path: string, body?: object) =>
    service.send(method, `/gardens${path}`, { body });
  for (const name of ['Kew', 'Eden/1']) await send('PUT', `/${encodeURIComponent(name)}`, {});
  return { service, send };
}

async function idsIn(service: Service, garden: string, query = ''): Promise<string[]> {
  const { text } = await service.send('GET', `/gardens/${garden}/plants${query}`);
  return Array.from(text.matchAll(/"id":(-?\d+)/g), ([, id = '']) => id);
}

describe('gardens', () => {
  test('have a name that is a key, in the path', async () => {
    const { send } = await startWithGardens();
    await send('PUT', '/Kew', { note: 'large' });

    expect((await send('GET', '/Kew')).text).toBe('{"name":"Kew","note":"large"}');
    expect((await send('GET', '/Eden%2F1')).text).toBe('{"name":"Eden/1"}');
    expect((await send('DELETE', '/Kew')).status).toBe(204);
    expect(await send('DELETE', '/Kew')).toMatchObject({
      status: 404,
      body: { error: 40401, message: 'There is no garden with the name Kew.' },
    });
  });

  test('refuse what is wrong, and what is not there', async () => {
    const { send } = await startWithGardens();

    for (const [method, path, body, status, error] of [
      ['PUT', '/Sissinghurst', { note: '' }, 400, 40001],
      ['PUT', '/%00', {}, 400, 40002],
      ['PUT', `/${'x'.repeat(65)}`, {}, 400, 40002],
      ['GET', '/Hidcote', undefined, 404, 40401],
      ['GET', '/Hidcote/plants', undefined, 404, 40401],
      ['GET', '/Kew/plants?after=x', undefined, 400, 40002],
      ['PUT', '/Hidcote/plants/1', undefined, 404, 40401],
      ['PUT', '/Kew/plants/3', undefined, 404, 40401],
      ['POST', '/Kew/merge', { name: 'Hidcote' }, 404, 40401],
    ] as const)
      expect.soft(await send(method, path, body), path).toMatchObject({ status, body: { error } });
  });

  test('are sent without an entity tag when a field of the body is ignored', async () => {
    const { send } = await startWithGardens();

    const answers = [{ note: 'old' }, { note: 'old', name: 'Kew' }, { name: 'Eden' }, { notes: 'new' }].map(
      async (body) => (await send('PUT', '/Kew', body)).headers.has('etag'),
    );

    expect(await Promise.all(answers)).toEqual([true, true, false, false]);
  });

  test('have many plants, which are in many gardens', async () => {
    const { service, send } = await startWithGardens();
    for (const id of [...IDS, '1']) expect((await send('PUT', `/Kew/plants/${id}`)).status).toBe(204);
    await send('PUT', '/Eden%2F1/plants/1');

    expect(await idsIn(service, 'Kew')).toEqual(IDS);
    expect(await idsIn(service, 'Kew', '?limit=1&after=2')).toEqual(['9007199254740993']);
    await service.send('DELETE', '/plants/1');
    expect(await idsIn(service, 'Kew')).toEqual(IDS.slice(1));
    expect((await send('DELETE', '/Kew/plants/9223372036854775807')).status).toBe(204);
    expect(await idsIn(service, 'Kew')).toEqual(IDS.slice(1, 3));
    expect(await idsIn(service, 'Eden%2F1')).toEqual([]);
  });

  test('merge as a whole, whatever else is written meanwhile', async () => {
    const { service, send } = await startWithGardens();
    for (const id of IDS.slice(0, 3)) await send('PUT', `/Kew/plants/${id}`);
    for (const id of IDS.slice(1)) await send('PUT', `/Eden%2F1/plants/${id}`);

    const [merged, ...others] = await Promise.all([
      send('POST', '/Kew/merge', { name: 'Eden/1' }),
      ...[3, 4, 5].map(async (id) => service.create({ id, name: 'Beside' })),
    ]);

    expect(merged).toMatchObject({ status: 200, body: { name: 'Kew' } });
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await idsIn(service, 'Kew')).toEqual(IDS);
    expect((await send('GET', '/Eden%2F1')).status).toBe(404);
  });
});

const WATERING = {
  id: '73ff3ef4-9e6d-4ce3-8b83-a3b16b8b0a4f',
  plant: 1,
  at: day(1),
  litres: 0.5,
  method: 'can',
};

test.for([
  [
    'waterings',
    'watering',
    [WATERING, { ...WATERING, id: '73ff3ef4-9e6d-4ce3-8b83-a3b16b8b0a50', at: day(2) }],
    { kind: 'patch', id: WATERING.id, body: { litres: 2, plant: 2 } },
    { kind: 'delete', id: WATERING.id },
    { ...WATERING, litres: 2 },
  ],
  [
    'gardens',
    'garden',
    [{ name: 'Kew' }, { name: 'Eden/1' }],
    { kind: 'put', name: 'Kew', body: { note: 'large' } },
    { kind: 'delete', name: 'Kew' },
    { name: 'Kew', note: 'large' },
  ],
] as const)(
  '%s have an import, an export, a batch and changes',
  async ([name, noun, lines, change, removal, changed]) => {
    const { service } = await startWithPlants();
    const [one, other] = lines;

    const imported = await service.request(`/${name}/import`, importRequest([...lines, one, {}]));
    const exported = await service.send('GET', `/${name}/export`);
    const operations = [change, removal, { kind: 'create', body: one }, { kind: 'create', body: other }];
    const refused = await service.send('POST', `/${name}/batch`, { body: { operations } });
    const done = await service.send('POST', `/${name}/batch`, {
      body: { operations: operations.slice(0, 3) },
    });

    expect(imported.body).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: 200 },
      { error: 40001 },
    ]);
    expect(exported.body).toEqual(
      expect.arrayContaining(lines.map((line) => expect.objectContaining(line) as object)),
    );
    expect(refused).toMatchObject({ status: 409, body: { error: 40900, message: /^Operation 4: / } });
    expect(done.body).toMatchObject({ results: [{ body: changed }, { status: 204 }, { body: one }] });
    await vi.waitFor(async () => {
      const { body: changes } = await service.send('GET', `/${name}/changes?after=0`);
      expect(changes).toMatchObject(
        ['created', 'created', 'deleted', 'created'].map((kind) => ({ kind, [noun]: {} })),
      );
    });
  },
);
