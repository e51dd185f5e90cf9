import { getEventListeners } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ChangeFeeds, type LiveFeed } from '../../../src/features/changes/live-feed.js';
import { tooManyRequests } from '../../../src/limits/rate-limiter.js';
import { type Change, changesAfter, Follower, parseChange } from '../../support/network/changes.js';
import { plantStore, startPlantStore } from '../../support/command-line.js';
import { emptyDatabase } from '../../support/database.js';
import { readMetrics } from '../../support/metrics.js';
import { numberedLines } from '../../support/plants.js';
import { importRequest, type Service, startService, TOKEN } from '../../support/service.js';
import { issue } from '../../support/tokens.js';

const NDJSON = { Accept: 'application/x-ndjson' };
const EVENTS = { Accept: 'text/event-stream' };

/** What clients and SQL on the side do, and the changes that this makes of plants 1 (Aloe, a) and 2 (Yucca). */
const WRITES: readonly [
  what: string,
  write: (service: Service) => Promise<unknown>,
  changes: readonly (readonly [
    kind: string,
    plant: Omit<Change['plant'], 'id'> & { readonly id: bigint | number },
  ])[],
][] = [
  [
    'a create',
    (service) => service.create({ id: 3, name: 'Agave' }),
    [['created', { id: 3, name: 'Agave' }]],
  ],
  ['a create of what is there', (service) => service.create({ id: 1, name: 'Agave' }), []],
  ['a create of exactly what is there', (service) => service.create({ id: 2, name: 'Yucca' }), []],
  [
    'a replacement',
    (service) => service.send('PUT', '/plants/1', { body: { name: 'Agave' } }),
    [['changed', { id: 1, name: 'Agave' }]],
  ],
  ['the same replacement', (service) => service.send('PUT', '/plants/2', { body: { name: 'Yucca' } }), []],
  [
    'a create by PUT',
    (service) => service.send('PUT', '/plants/-5', { body: { name: 'é "\n\u2028', tag: '' } }),
    [['created', { id: -5, name: 'é "\n\u2028', tag: '' }]],
  ],
  [
    'a patch',
    (service) => service.send('PATCH', '/plants/1', { body: { tag: null } }),
    [['changed', { id: 1, name: 'Aloe' }]],
  ],
  ['a patch of nothing', (service) => service.send('PATCH', '/plants/1', { body: { tag: 'a' } }), []],
  [
    'a delete',
    (service) => service.send('DELETE', '/plants/1'),
    [['deleted', { id: 1, name: 'Aloe', tag: 'a' }]],
  ],
  ['a delete of what is not there', (service) => service.send('DELETE', '/plants/9'), []],
  [
    'a batch',
    (service) =>
      service.send('POST', '/plants/batch', {
        body: {
          operations: [
            { kind: 'create', body: { id: 4, name: 'Ficus' } },
            { kind: 'patch', id: 4, body: { tag: 'tree' } },
          ],
        },
      }),
    [['created', { id: 4, name: 'Ficus', tag: 'tree' }]],
  ],
  [
    'a batch that is refused',
    (service) =>
      service.send('POST', '/plants/batch', {
        body: {
          operations: [
            { kind: 'delete', id: 1 },
            { kind: 'delete', id: 9 },
          ],
        },
      }),
    [],
  ],
  [
    'an import',
    (service) =>
      service.request(
        '/plants/import',
        importRequest([
          { id: 3, name: 'Ficus' },
          { id: 2, name: 'Yucca' },
          { id: 1, name: 'other' },
        ]),
      ),
    [['created', { id: 3, name: 'Ficus' }]],
  ],
  [
    'SQL that inserts',
    ({ database }) =>
      database.execute("INSERT INTO plants (id, name) VALUES (7, 'Fern') ON CONFLICT DO NOTHING"),
    [['created', { id: 7, name: 'Fern' }]],
  ],
  [
    'SQL that inserts or updates',
    ({ database }) =>
      database.execute(
        "INSERT INTO plants (id, name) VALUES (1, 'Fern'), (8, 'Moss') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
      ),
    [
      ['changed', { id: 1, name: 'Fern', tag: 'a' }],
      ['created', { id: 8, name: 'Moss' }],
    ],
  ],
  ['SQL that updates to the same', ({ database }) => database.execute('UPDATE plants SET name = name'), []],
  [
    'SQL that moves a plant to another id',
    ({ database }) => database.execute('UPDATE plants SET id = 9223372036854775807 WHERE id = 2'),
    [
      ['created', { id: 9223372036854775807n, name: 'Yucca' }],
      ['deleted', { id: 2, name: 'Yucca' }],
    ],
  ],
  [
    'SQL that deletes',
    ({ database }) => database.execute('DELETE FROM plants WHERE id < 2'),
    [['deleted', { id: 1, name: 'Aloe', tag: 'a' }]],
  ],
];

/** A store with two plants, and the cursor behind their creation. */
async function storeOfTwo(environment: Record<string, string> = {}) {
  const service = await startService(environment);
  await service.create({ id: 1, name: 'Aloe', tag: 'a' });
  await service.create({ id: 2, name: 'Yucca' });
  return { service, cursor: await latest(service) };
}

/** The cursor of the last change. */
async function latest(service: Service): Promise<string> {
  return String((await changesAfter(service, -1)).at(-1)?.cursor);
}

describe('GET /plants/changes', () => {
  test('has what every write changes, by the service and by SQL', async () => {
    const service = await startService();
    for (const [what, write, expected] of WRITES) {
      await service.database.execute('DELETE FROM plants');
      await service.create({ id: 1, name: 'Aloe', tag: 'a' });
      await service.create({ id: 2, name: 'Yucca' });
      const cursor = await latest(service);
      const start = new Date().toISOString();
      const follower = new Follower();
      await follower.follow(service, `?after=${cursor}`);

      await write(service);

      const changes = await vi.waitFor(async () => {
        const found = await changesAfter(service, cursor);
        expect(found, what).toHaveLength(expected.length);
        return found;
      });
      const seen = changes.map(({ kind, plant }) => [kind, plant]);
      const withIds = expected.map(([kind, plant]) => [kind, { ...plant, id: BigInt(plant.id) }]);
      expect(new Set(seen), what).toEqual(new Set(withIds));
      for (const { at } of changes) {
        expect(at >= start && at <= new Date().toISOString(), `${what} ${at}`).toBe(true);
        expect(new Date(at).toISOString()).toBe(at);
      }
      expect(changes.map(({ cursor: own }) => own)).toEqual(
        [...new Set(changes.map(({ cursor: own }) => own))].toSorted((first, second) => first - second),
      );
      await vi.waitFor(() => expect(follower.changes, what).toEqual(changes));
      follower.stop();
    }
  });

  test('has pages, lines and events, behind a cursor and from now on', async () => {
    const { service, cursor } = await storeOfTwo();
    const all = await changesAfter(service, 0);
    const [first] = all as [Change];

    const page = await service.send('GET', '/plants/changes?after=0&limit=1');
    const next = await service.send(
      'GET',
      `/plants/changes${/^<(.*)>/.exec(page.headers.get('link') ?? '')?.[1]}`,
    );
    const lines = await service.send('GET', '/plants/changes?after=0', { headers: NDJSON });
    const rest = await service.send('GET', '/plants/changes', {
      headers: { ...NDJSON, 'Last-Event-ID': String(first.cursor) },
    });
    const noPage = await service.send('GET', '/plants/changes');
    const none = await service.send('GET', '/plants/changes', { headers: NDJSON });
    const latestOnes = [-1, -2, -999].map((after) => changesAfter(service, after));
    const head = await service.request('/plants/changes', {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${TOKEN}`, ...EVENTS },
    });

    expect(all.map(({ kind, plant }) => [kind, plant.id])).toEqual([
      ['created', 1n],
      ['created', 2n],
    ]);
    expect(page).toMatchObject({ status: 200, body: [{ cursor: first.cursor }] });
    expect(page.headers.get('link')).toBe(`<?limit=1&after=${first.cursor}>; rel="next"`);
    expect(page.headers.get('x-next-after')).toBe(String(first.cursor));
    expect(next.body).toMatchObject([{ plant: { id: 2 } }]);
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(lines.text.trimEnd().split('\n').map(parseChange)).toEqual(all);
    expect(rest.text.trimEnd().split('\n').map(parseChange)).toEqual(all.slice(1));
    expect(noPage).toMatchObject({ status: 200, body: [] });
    expect(noPage.headers.get('link')).toContain(`after=${cursor}>; rel="next"`);
    expect(none.text).toBe('');
    expect(head.status).toBe(200);
    expect(await Promise.all(latestOnes)).toEqual([all.slice(1), all, all]);
    const follower = new Follower();
    await follower.follow(service, '?after=-1');
    await vi.waitFor(() => expect(follower.changes).toEqual(all.slice(1)));
    expect(follower.lastId).toBe(cursor);
    await vi.waitFor(() => expect(follower.comments).toBe(1));
  });

  test('refuses a query that is wrong, and a cursor that is not kept', async () => {
    const { service } = await storeOfTwo();
    const oldest = await oldestOf(service);

    for (const [query, headers, error, message] of [
      [
        '?after=-1000',
        {},
        40002,
        'after or Last-Event-ID must be the cursor of a change, 0, or from -999 to -1',
      ],
      ['?after=07', {}, 40002, 'after or Last-Event-ID must be the cursor'],
      ['?after=x', EVENTS, 40002, 'after or Last-Event-ID must be the cursor'],
      ['?after=9223372036854775808', {}, 40002, 'after or Last-Event-ID must be the cursor of a change'],
      ['?limit=1001', {}, 40002, 'limit must be an integer from 1 to 1000'],
      ['?since=1', {}, 40002, 'since must be a time such as'],
      ['?kind=moved', {}, 40002, 'kind must be one of'],
      ['?id=07', {}, 40002, 'id must be an integer from'],
      ['?name=Aloe', {}, 40002, 'name is unknown'],
      ['', { 'Last-Event-ID': 'x' }, 40002, 'after or Last-Event-ID must be the cursor of a change'],
      ['?after=1', {}, 41000, 'The change 1 is not kept: the oldest is OLDEST.'],
      ['?after=1', EVENTS, 41000, 'The change 1 is not kept'],
      ['?after=1', NDJSON, 41000, 'The change 1 is not kept'],
      ['?after=9223372036854775807', EVENTS, 41000, 'The change 9223372036854775807 is not kept'],
    ] as const) {
      const answer = await service.send('GET', `/plants/changes${query}`, { headers });

      expect.soft(answer, query).toMatchObject({
        status: Math.floor(error / 100),
        body: { error, message: expect.stringContaining(message.replace('OLDEST', oldest)) },
      });
    }
    expect((await service.send('GET', `/plants/changes?after=${oldest}`)).status).toBe(200);
  });

  test('has filters of the plant, the kind and the time, whose pages lead on', async () => {
    const { service, cursor } = await storeOfTwo();
    const idle = new Follower();
    await idle.follow(service, `?after=${cursor}&id=1&kind=deleted`);
    const [, last] = await changesAfter(service, 0);
    await vi.waitUntil(() => new Date().toISOString() > String(last?.at));
    const since = new Date().toISOString();
    await service.create({ id: 11, name: 'plant":{"id":1,' });
    await service.send('PATCH', '/plants/1', { body: { name: 'Agave' } });
    await service.send('DELETE', '/plants/11');
    await service.send('DELETE', '/plants/1');
    const all = await changesAfter(service, 0);

    const kindsOf = async (query: string) => {
      const found = await service.send('GET', `/plants/changes?${query}`);
      return (found.body as Change[]).map(({ kind, plant }) => `${kind} ${plant.id}`);
    };

    expect(await kindsOf('after=0&id=1')).toEqual(['created 1', 'changed 1', 'deleted 1']);
    expect(await kindsOf('after=0&id=-1')).toEqual([]);
    expect(await kindsOf('after=0&kind=deleted')).toEqual(['deleted 11', 'deleted 1']);
    expect(await kindsOf(`since=${since}`)).toEqual(['created 11', 'changed 1', 'deleted 11', 'deleted 1']);
    expect(await kindsOf(`since=${since}&id=1&kind=deleted`)).toEqual(['deleted 1']);
    expect(await kindsOf('since=2000-01-01T00:00:00Z')).toHaveLength(all.length);
    expect(await kindsOf('since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await kindsOf(`since=2999-01-01T00:00:00Z&after=${cursor}&kind=created`)).toEqual(['created 11']);
    const page = await service.send('GET', `/plants/changes?since=2000-01-01T00:00:00Z&id=1&limit=2`);
    expect(page.headers.get('link')).toBe(`<?limit=2&id=1&after=${all[3]?.cursor}>; rel="next"`);
    const next = /^<(.*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    expect(await kindsOf(next.slice(1))).toEqual(['deleted 1']);
    const lines = await service.send('GET', '/plants/changes?after=0&kind=changed', { headers: NDJSON });
    expect(parseChange(lines.text)).toEqual(all[3]);
    await vi.waitFor(() => expect(idle.changes).toEqual(all.slice(-1)));
  });

  test('moves a follower on whose filter nothing matches, so that its cursor stays kept', async () => {
    const { service, cursor } = await storeOfTwo();
    const follower = new Follower();
    await follower.follow(service, '?after=0&kind=deleted');
    await vi.waitFor(() => expect(follower.comments).toBe(1));
    expect(follower.lastId).toBe(cursor);

    follower.stop();
    // As the service does once a minute.
    await service.database.execute(`DELETE FROM plants_changes WHERE cursor < ${cursor}`);
    await follower.follow(service, '?kind=deleted');
    await service.send('DELETE', '/plants/2');

    await vi.waitFor(() => expect(follower.changes).toMatchObject([{ kind: 'deleted', plant: { id: 2n } }]));
  });

  test('reads 10,000 changes for a page with a filter, which leads on even if it is empty', async () => {
    const service = await startService();
    await service.request('/plants/import', importRequest(numberedLines(10_000)));
    await service.send('DELETE', '/plants/7');
    const deletion = await vi.waitUntil(async () => {
      const { body } = await service.send('GET', '/plants/changes?after=-1');
      const [change] = body as Change[];
      return change?.kind === 'deleted' && change;
    });

    const first = await service.send('GET', '/plants/changes?after=0&kind=deleted');
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await service.send('GET', `/plants/changes${next}`);

    expect(first.body).toEqual([]);
    expect(second.body).toEqual([deletion]);
  });

  test('is replayed from 0 to the store, at every moment', async () => {
    const service = await startService();
    const plants = new Map<bigint, string>();
    let cursor: string | number = 0;
    const operation = fc.record({
      id: fc.bigInt(-2n, 2n),
      name: fc.string({ maxLength: 3 }),
      kind: fc.nat(4),
    });

    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
        await Promise.all(
          operations.map(async ({ id, name, kind }) => {
            if (kind < 2) await service.send('PUT', `/plants/${id}`, { body: { name } });
            else if (kind === 2) await service.send('DELETE', `/plants/${id}`);
            else if (kind === 3) await service.send('PATCH', `/plants/${id}`, { body: { name } });
          }),
        );
        for (const { id, kind } of operations)
          if (kind === 4) await service.database.execute(`DELETE FROM plants WHERE id = ${id}`);
        for (const { kind, plant, cursor: own } of await changesAfter(service, cursor)) {
          expect(plants.has(plant.id)).toBe(kind !== 'created');
          if (kind === 'deleted') expect(plants.get(plant.id)).toBe(plant.name);
          if (kind === 'deleted') plants.delete(plant.id);
          else plants.set(plant.id, plant.name);
          cursor = own;
        }
        expect(plants).toEqual(new Map((await service.plants()).map(({ id, name }) => [id, name])));
      }),
      { numRuns: 20 },
    );
  });

  test('is made by a start for the plants there are, and removed by one without it', async () => {
    const { service: before, cursor } = await storeOfTwo();
    await before.stop();
    const off = await startService({ CHANGES_KEPT: '0' }, before.database);
    const refused = await off.send('GET', `/plants/changes?after=${cursor}`);
    const left = before.database.execute('SELECT 1 FROM plants_changes');
    await expect(left).rejects.toThrow('plants_changes');
    await off.create({ id: 3, name: 'unseen' });
    await off.stop();
    const doctor = await plantStore(before.database, ['doctor']);

    const again = await startService({}, before.database);
    await again.create({ id: 4, name: 'seen' });

    expect(refused).toMatchObject({
      status: 410,
      body: { error: 41000, message: 'The service keeps no changes.' },
    });
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect((await again.send('GET', `/plants/changes?after=${cursor}`)).status).toBe(410);
    expect((await changesAfter(again, 0)).map(({ plant }) => plant.name)).toEqual(['seen']);
    await again.stop();
    const last = await startService({}, before.database);
    expect((await changesAfter(last, 0)).map(({ plant }) => plant.name)).toEqual(['seen']);
  });
});

describe('plant-store changes', () => {
  test('prints what a service has kept', async () => {
    const { service } = await storeOfTwo();
    const all = await changesAfter(service, 0);

    const printed = await plantStore(service.database, ['changes']);
    const rest = await plantStore(service.database, ['changes', '--after', String(all[0]?.cursor)]);
    const refused = await plantStore(service.database, ['changes', '--after', '1']);
    const wrong = await plantStore(service.database, ['changes', '--after', 'x']);

    expect(printed.stdout.trimEnd().split('\n').map(parseChange)).toEqual(all);
    expect(rest.stdout.trimEnd().split('\n').map(parseChange)).toEqual(all.slice(1));
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('The change 1 is not kept'),
    });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be the cursor of a change, or 0.'),
    });
  });

  test('says that there are none before a service has kept any', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import']);

    expect(await plantStore(database, ['changes'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The store keeps no changes. A service keeps them from its first start, unless CHANGES_KEPT is 0.\n',
    });
  });

  test('follows a service, and says so when it has lost its place', async () => {
    const { service, cursor } = await storeOfTwo();
    const following = startPlantStore(service.database, ['changes', '--follow', '--after', cursor]);

    await service.create({ id: 3, name: 'Agave' });
    await vi.waitFor(() =>
      expect(following.stdout()).toMatch(
        /"kind":"created","by":"[^"]+","plant":\{"id":3,"name":"Agave"\}\}\n$/,
      ),
    );
    // As if the store were restored from a backup.
    await service.database.execute(`DELETE FROM plants_changes WHERE cursor > ${cursor}`);

    expect(await following.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not kept'),
    });
  });
});

/** The oldest cursor that is kept, as an Error tells it. */
async function oldestOf(service: Service): Promise<string> {
  const { text } = await service.send('GET', '/plants/changes?after=1');
  return /oldest is (\d+)\./.exec(text)?.[1] ?? text;
}

describe('a client that follows', () => {
  test('resumes where it was, after each way of being cut off', { timeout: 120_000 }, async () => {
    const first = await startService();
    const follower = new Follower();
    let id = 0;
    const write = async (service: Service) => {
      for (let last = id + 20; id < last; id += 1) await service.create({ id, name: `plant ${id}` });
    };
    await follower.follow(first, '?after=0');
    await write(first);
    follower.stop();
    await write(first);
    await follower.follow(first, '?after=0');
    await write(first);
    // The service ends the stream when it stops.
    await first.stop();
    await vi.waitFor(() => expect(follower.hasEnded).toBe(true));
    const second = await startService({}, first.database);
    await write(second);
    await follower.follow(second, '?after=0');
    await write(second);

    const all = await changesAfter(second, 0);
    expect(all.map(({ plant }) => Number(plant.id))).toEqual(
      Array.from({ length: id }, (_, number) => number),
    );
    await vi.waitFor(() => expect(follower.changes).toEqual(all));
  });

  test('leaves its place to others at once', async () => {
    const service = await startService();
    const followers = [new Follower(), new Follower()];
    for (const follower of followers) await follower.follow(service);
    const count = async () => (await readMetrics(service)).get('plant_store_changes_followers');
    const before = await count();

    followers[0]?.stop();

    // Long before the next sign of life.
    await vi.waitFor(async () => expect(await count()).toBe(1), 5_000);
    expect(before).toBe(2);
  });

  test('stays connected when too many clients read what has changed', async () => {
    const service = await startService();
    const live = service.app.get(ChangeFeeds).get('plants') as LiveFeed;
    const follower = new Follower();
    await follower.follow(service);

    const poll = vi.spyOn(live.feed, 'read').mockImplementationOnce(() => {
      throw tooManyRequests(1);
    });
    await vi.waitUntil(() => poll.mock.calls.length > 0);
    await service.create({ id: 1, name: 'Aloe' });

    await vi.waitFor(() => expect(follower.changes).toHaveLength(1));
    expect(follower.hasEnded).toBe(false);
  });

  test('begins too late in a service that is stopping, and its stream ends at once', async () => {
    const service = await startService();
    await service.app.get(ChangeFeeds).get('plants')?.stop();
    const follower = new Follower();

    await follower.follow(service);

    await vi.waitFor(() => expect(follower.hasEnded).toBe(true), 5_000);
  });

  test('leaves nothing on a signal that it shares with others', async () => {
    const { app } = await startService();
    const { signal } = new AbortController();
    const batches = app.get(ChangeFeeds).get('plants')?.follow(0n, signal);

    await batches?.next();
    await batches?.return();

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('is cut within 2 seconds when its token ends', async () => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read']);
    const followers = [new Follower(secret), new Follower(secret), new Follower()];
    for (const follower of followers) await follower.follow(service);

    await service.send('DELETE', `/tokens/${id}`);
    const start = performance.now();
    await vi.waitFor(
      () => expect(followers.map(({ hasEnded }) => hasEnded)).toEqual([true, true, false]),
      5_000,
    );

    expect(performance.now() - start).toBeLessThan(2_500);
    await service.create({ id: 1, name: 'Aloe' });
    await vi.waitFor(() => expect(followers.map(({ changes }) => changes.length)).toEqual([0, 0, 1]));
  });

  test('that reads nothing keeps nobody waiting, and gets everything when it goes on', async () => {
    const service = await startService({ LOG_LEVEL: 'silent' });
    let braces = 0;
    const slow = await new Promise<IncomingMessage>((resolve) => {
      const headers = { Authorization: `Bearer ${TOKEN}`, ...EVENTS };
      get(`${service.url}/plants/changes?after=0`, { headers }, resolve);
    });
    slow.pause();
    const quick = new Follower();
    await quick.follow(service, '?after=0');

    // What a stopped client may hold in buffers of the system is less.
    for (let written = 0; written < 1_000; written += 100) {
      await service.database.execute(`
        WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 100)
        INSERT INTO plants (id, name) SELECT ${written} + id, '${'x'.repeat(16_000)}' FROM ids`);
      await vi.waitUntil(() => quick.changes.length === written + 100);
    }

    // An event ends with the braces of the plant and of the change.
    slow.on('data', (part: Buffer) => (braces += part.toString('latin1').split('}').length - 1)).resume();
    await vi.waitUntil(() => braces === 2_000);
    slow.destroy();
  });
});

describe('old changes', () => {
  test('are deleted but the newest of them, and their cursors are refused', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { service, cursor } = await storeOfTwo({ CHANGES_KEPT: '1h' });
    const [first, second] = (await changesAfter(service, 0)) as [Change, Change];
    const lines = Array.from({ length: 3_000 }, (_, index) => ({ id: 100 + index, name: 'old' }));
    await service.request('/plants/import', importRequest(lines));
    const old = await latest(service);
    await service.database.execute(
      `UPDATE plants_changes SET at = '2020-01-01T00:00:00.000Z' WHERE cursor <= ${old}`,
    );
    await service.create({ id: 3, name: 'new' });

    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await oldestOf(service)).toBe(old));

    expect((await changesAfter(service, old)).map(({ plant }) => plant.name)).toEqual(['new']);
    for (const after of [first.cursor, second.cursor, cursor])
      expect((await service.send('GET', `/plants/changes?after=${after}`)).status).toBe(410);
    expect((await changesAfter(service, 0)).map(({ plant }) => plant.name)).toEqual(['old', 'new']);
  });
});

describe('plant-store bring-back', () => {
  /** A store in which plants 1 (Aloe, then Agave) and `LARGE` were deleted, after the change with the cursor. */
  async function storeOfDeletions() {
    const service = await startService();
    for (const [id, name] of [
      ['1', 'Aloe'],
      ['1', 'Agave'],
      [LARGE, 'é "\u2028'],
    ])
      await service.send('PUT', `/plants/${id}`, { body: { name, tag: 'a' } });
    const [first] = await changesAfter(service, 0);
    for (const id of ['1', LARGE]) await service.send('DELETE', `/plants/${id}`);
    const bringBack = (...args: string[]) => plantStore(service.database, ['bring-back', ...args]);
    return { service, bringBack, cursor: String(first?.cursor) };
  }

  const LARGE = '-9223372036854775808';

  test('stores deleted plants again as they were, which is a change for readers', async () => {
    const { service, bringBack } = await storeOfDeletions();

    const results = [await bringBack('1'), await bringBack(LARGE), await bringBack('1')];

    const said = expect.stringMatching(/^Stored \{"id":1,"name":"Agave","tag":"a"\}, as it was at 2.+Z\.\n$/);
    expect(results[0]).toEqual({ code: 0, stdout: said, stderr: '' });
    // Whoever is not sure repeats it.
    expect(results[2]).toEqual(results[0]);
    expect(await service.database.plants()).toEqual([
      { id: BigInt(LARGE), name: 'é "\u2028', tag: 'a' },
      { id: 1n, name: 'Agave', tag: 'a' },
    ]);
    expect((await changesAfter(service, 0)).slice(-2).map(({ kind, plant }) => [kind, plant.name])).toEqual([
      ['created', 'Agave'],
      ['created', 'é "\u2028'],
    ]);
  });

  test('replaces a plant that exists only when told to', async () => {
    const { service, bringBack } = await storeOfDeletions();
    await service.create({ id: 1, name: 'Yucca' });

    const refused = await bringBack('1');
    const before = await service.database.plants();
    const done = await bringBack('1', '--overwrite');

    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The plant 1 exists: {"id":1,"name":"Yucca"}. --overwrite replaces it by {"id":1,"name":"Agave","tag":"a"}.\n',
    });
    expect(before).toEqual([{ id: 1n, name: 'Yucca', tag: null }]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await service.database.plants()).toEqual([{ id: 1n, name: 'Agave', tag: 'a' }]);
  });

  test('stores what another change has, and says when there is none', async () => {
    const { service, bringBack, cursor } = await storeOfDeletions();

    const changed = await bringBack('1', '--change', cursor);
    const unknown = [
      await bringBack('2'),
      await bringBack('2', '--change', cursor),
      await bringBack('1', '--change', '1'),
    ];

    expect(changed).toMatchObject({ code: 0, stderr: '' });
    expect(await service.database.plants()).toEqual([{ id: 1n, name: 'Aloe', tag: 'a' }]);
    expect(unknown).toEqual(
      [
        'The store keeps no deletion of the plant 2. Look in a backup.\n',
        `The change ${cursor} is not kept, or not one of the plant 2.\n`,
        'The change 1 is not kept, or not one of the plant 1.\n',
      ].map((stderr) => ({ code: 1, stdout: '', stderr })),
    );
  });
});
