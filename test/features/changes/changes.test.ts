import { getEventListeners } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { ChangeFeeds } from '../../../src/features/changes/live-feed.js';
import { type Change, changesAfter, Follower, parseChange } from '../../support/network/changes.js';
import { plantStore } from '../../support/command-line.js';
import { emptyDatabase } from '../../support/database.js';
import { readMetrics } from '../../support/metrics.js';
import { numberedLines, withoutOtherFields } from '../../support/plants.js';
import { type Answer, importRequest, type Service, startService, TOKEN } from '../../support/service.js';
import { issue } from '../../support/tokens.js';

const NDJSON = { Accept: 'application/x-ndjson' };
const EVENTS = { Accept: 'text/event-stream' };

const ALOE = { id: 1, name: 'Aloe', tag: 'a' };
const YUCCA = { id: 2, name: 'Yucca' };
const PUT_4_TWICE = [
  { kind: 'create', body: { id: 4, name: 'Ficus' } },
  { kind: 'patch', id: 4, body: { tag: 'tree' } },
];
const DELETE_1_AND_9 = [
  { kind: 'delete', id: 1 },
  { kind: 'delete', id: 9 },
];
const REPLACE_1 = [
  { kind: 'delete', id: 1 },
  { kind: 'create', body: { id: 1, name: 'Agave' } },
];
const UPSERT = `INSERT INTO plants (id, name) VALUES (1, 'Fern'), (8, 'Moss')
  ON CONFLICT (id) DO UPDATE SET name = excluded.name`;

/** Requests with their bodies, SQL past the service, and the changes that each makes in a store of Aloe and Yucca, in any order. */
const WRITES: readonly [write: string, body?: object | undefined, ...changes: string[]][] = [
  ['POST /plants', { id: 3, name: 'Agave' }, 'created {"id":3,"name":"Agave"}'],
  ['POST /plants', { id: 1, name: 'Agave' }],
  ['POST /plants', YUCCA],
  ['PUT /plants/1', { name: 'Agave' }, 'changed {"id":1,"name":"Agave"}'],
  ['PUT /plants/2', { name: 'Yucca' }],
  ['PUT /plants/-5', { name: 'é "\n\u2028', tag: '' }, 'created {"id":-5,"name":"é \\"\\n\u2028","tag":""}'],
  ['PATCH /plants/1', { tag: null }, 'changed {"id":1,"name":"Aloe"}'],
  ['PATCH /plants/1', { tag: 'a' }],
  ['DELETE /plants/1', undefined, 'deleted {"id":1,"name":"Aloe","tag":"a"}'],
  ['DELETE /plants/9'],
  ['POST /plants/batch', { operations: PUT_4_TWICE }, 'created {"id":4,"name":"Ficus","tag":"tree"}'],
  ['POST /plants/batch', { operations: DELETE_1_AND_9 }],
  [
    'POST /plants/batch',
    { operations: [1, 2].map((id) => ({ kind: 'delete', id })) },
    'deleted {"id":1,"name":"Aloe","tag":"a"}',
    'deleted {"id":2,"name":"Yucca"}',
  ],
  [
    'POST /plants/batch',
    { operations: REPLACE_1 },
    'deleted {"id":1,"name":"Aloe","tag":"a"}',
    'created {"id":1,"name":"Agave"}',
  ],
  [
    'POST /plants/import',
    [{ id: 3, name: 'Ficus' }, YUCCA, { id: 1, name: 'other' }],
    'created {"id":3,"name":"Ficus"}',
  ],
  [
    `INSERT INTO plants (id, name) VALUES (7, 'Fern') ON CONFLICT DO NOTHING`,
    undefined,
    'created {"id":7,"name":"Fern"}',
  ],
  [UPSERT, undefined, 'changed {"id":1,"name":"Fern","tag":"a"}', 'created {"id":8,"name":"Moss"}'],
  ['UPDATE plants SET name = name'],
  [
    'UPDATE plants SET id = 9223372036854775807 WHERE id = 2',
    undefined,
    'created {"id":9223372036854775807,"name":"Yucca"}',
    'deleted {"id":2,"name":"Yucca"}',
  ],
  ['DELETE FROM plants WHERE id < 2', undefined, 'deleted {"id":1,"name":"Aloe","tag":"a"}'],
];

async function perform(service: Service, statement: string, body: object | undefined): Promise<unknown> {
  const [method = '', path = ''] = statement.split(' ');
  if (!path.startsWith('/')) return service.database.execute(statement);
  return Array.isArray(body)
    ? service.request(path, importRequest(body as object[]))
    : service.send(method, path, { body });
}

/** A store with two plants, and the cursor behind their creation. */
async function storeOfTwo(environment: Record<string, string> = {}) {
  const service = await startService(environment);
  for (const plant of [ALOE, YUCCA]) await service.create(plant);
  return { service, cursor: await latest(service) };
}

/** The cursor of the last change. */
async function latest(service: Service): Promise<string> {
  return String((await changesAfter(service, -1)).at(-1)?.cursor);
}

function read(service: Service, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  return service.send('GET', `/plants/changes${query}`, { headers });
}

/** The query that leads to the next page. */
function nextOf({ headers }: Answer): string {
  return /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
}

function linesOf(text: string): Change[] {
  return text.trimEnd().split('\n').map(parseChange);
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.map(({ plant }) => plant.name);
}

describe('GET /plants/changes', () => {
  test('has what every write changes, by a caller of the service and by SQL', async () => {
    const service = await startService();
    const { id: caller } = (await service.send('GET', '/tokens/current')).body as { id: string };
    for (const [statement, body, ...expected] of WRITES) {
      await service.database.execute('DELETE FROM plants');
      for (const plant of [ALOE, YUCCA]) await service.create(plant);
      const cursor = await latest(service);
      const start = new Date().toISOString();
      const follower = new Follower();
      await follower.follow(service, `?after=${cursor}`);

      await perform(service, statement, body);

      const changes = await changesAfter(service, cursor);
      const seen = changes.map(({ kind, plant }) => `${kind} ${withoutOtherFields(JSON.stringify(plant))}`);
      expect(seen.toSorted(), statement).toEqual(expected.toSorted());
      const by = statement.includes(' /plants') ? caller : undefined;
      expect(new Set(changes.map((change) => change.by)).difference(new Set([by])), statement).toEqual(
        new Set(),
      );
      for (const { at } of changes)
        expect(start <= at && at <= new Date().toISOString() && new Date(at).toISOString() === at, at).toBe(
          true,
        );
      const cursors = changes.map((change) => change.cursor);
      expect(cursors).toEqual([...new Set(cursors)].toSorted((first, second) => first - second));
      await vi.waitFor(() => expect(follower.changes, statement).toEqual(changes));
      follower.stop();
    }
  });

  test('has pages, each with a link to the next', async () => {
    const { service, cursor } = await storeOfTwo();
    const [first] = (await changesAfter(service, 0)) as [Change];

    const page = await read(service, '?after=0&limit=1');
    const now = await read(service, '');

    expect(page).toMatchObject({
      status: 200,
      body: [{ cursor: first.cursor, kind: 'created', plant: ALOE }],
    });
    expect(nextOf(page)).toBe(`?limit=1&after=${first.cursor}`);
    expect(page.headers.get('x-next-after')).toBe(String(first.cursor));
    expect(await read(service, nextOf(page))).toMatchObject({ body: [{ plant: YUCCA }] });
    expect(now).toMatchObject({ status: 200, body: [] });
    expect(nextOf(now)).toContain(`after=${cursor}`);
  });

  test('has lines and events, behind a cursor, of the latest changes, and from now on', async () => {
    const { service, cursor } = await storeOfTwo();
    const all = await changesAfter(service, 0);
    const follower = new Follower();
    await follower.follow(service, '?after=-1');

    const lines = await read(service, '?after=0', NDJSON);
    const rest = await read(service, '', { ...NDJSON, 'Last-Event-ID': String(all[0]?.cursor) });
    const head = await service.send('HEAD', '/plants/changes', { headers: EVENTS });

    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(linesOf(lines.text)).toEqual(all);
    expect(linesOf(rest.text)).toEqual(all.slice(1));
    expect((await read(service, '', NDJSON)).text).toBe('');
    expect(head.status).toBe(200);
    for (const [after, expected] of [
      [-1, all.slice(1)],
      [-2, all],
      [-999, all],
    ] as const)
      expect(await changesAfter(service, after)).toEqual(expected);
    await vi.waitFor(() => expect(follower.comments).toBe(1));
    expect(follower.changes).toEqual(all.slice(1));
    expect(follower.lastId).toBe(cursor);
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
      expect.soft(await read(service, query, headers), query).toMatchObject({
        status: Math.floor(error / 100),
        body: { error, message: expect.stringContaining(message.replace('OLDEST', oldest)) },
      });
    }
    expect((await read(service, `?after=${oldest}`)).status).toBe(200);
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
      const found = await read(service, `?${query}`);
      return (found.body as Change[]).map(({ kind, plant }) => `${kind} ${plant.id}`);
    };

    for (const [query, kinds] of [
      ['after=0&id=1', ['created 1', 'changed 1', 'deleted 1']],
      ['after=0&id=-1', []],
      ['after=0&kind=deleted', ['deleted 11', 'deleted 1']],
      [`since=${since}`, ['created 11', 'changed 1', 'deleted 11', 'deleted 1']],
      [`since=${since}&id=1&kind=deleted`, ['deleted 1']],
      ['since=2000-01-01T00:00:00Z', all.map(({ kind, plant }) => `${kind} ${plant.id}`)],
      ['since=2999-01-01T00:00:00Z', []],
      [`since=2999-01-01T00:00:00Z&after=${cursor}&kind=created`, ['created 11']],
    ] as const)
      expect(await kindsOf(query), query).toEqual(kinds);
    const page = await read(service, '?since=2000-01-01T00:00:00Z&id=1&limit=2');
    expect(nextOf(page)).toBe(`?limit=2&id=1&after=${all[3]?.cursor}`);
    expect(await kindsOf(nextOf(page).slice(1))).toEqual(['deleted 1']);
    expect(linesOf((await read(service, '?after=0&kind=changed', NDJSON)).text)).toEqual([all[3]]);
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
      const [change] = (await read(service, '?after=-1')).body as Change[];
      return change?.kind === 'deleted' && change;
    });

    const first = await read(service, '?after=0&kind=deleted');

    const second = await read(service, nextOf(first));

    expect([first.body, first.headers.get('x-caught-up')]).toEqual([[], 'false']);
    expect([second.body, second.headers.get('x-caught-up')]).toEqual([[deletion], 'true']);
    const { stdout } = await plantStore(service.database, ['changes', '--id', '7', '--kind', 'deleted']);
    expect(stdout).toMatch(/^\{"cursor":\d+.*"plant":\{"id":7,[^\n]*\n$/);
  });

  test('is made by a start for the plants there are, and removed by one without it', async () => {
    const { service: before, cursor } = await storeOfTwo();
    await before.stop();
    const off = await startService({ CHANGES_KEPT: '0' }, before.database);
    const refused = await read(off, `?after=${cursor}`);
    const left = before.database.execute('SELECT 1 FROM plants_changes');
    await expect(left).rejects.toThrow('plants_changes');
    await off.create({ id: 3, name: 'unseen' });
    await off.stop();

    const again = await startService({}, before.database);
    await again.create({ id: 4, name: 'seen' });

    expect(refused).toMatchObject({
      status: 410,
      body: { error: 41000, message: 'The service keeps no changes.' },
    });
    expect((await read(again, `?after=${cursor}`)).status).toBe(410);
    expect(namesOf(await changesAfter(again, 0))).toEqual(['seen']);
    await again.stop();
    const last = await startService({}, before.database);
    expect(namesOf(await changesAfter(last, 0))).toEqual(['seen']);
  });
});

describe('plant-store changes', () => {
  test('prints what a service has kept', async () => {
    const { service } = await storeOfTwo();
    const all = await changesAfter(service, 0);
    const changes = (...args: string[]) => plantStore(service.database, ['changes', ...args]);

    expect(linesOf((await changes()).stdout)).toEqual(all);
    expect(linesOf((await changes('--after', String(all[0]?.cursor))).stdout)).toEqual(all.slice(1));
    for (const [after, code, reason] of [
      ['1', 1, 'The change 1 is not kept'],
      ['x', 2, 'It must be the cursor of a change, or 0.'],
    ] as const)
      expect(await changes('--after', after)).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(reason),
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
});

/** The oldest cursor that is kept, as an Error tells it. */
async function oldestOf(service: Service): Promise<string> {
  const { text } = await read(service, '?after=1');
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

    await vi.waitFor(async () => expect(await count()).toBe(1));
    expect(before).toBe(2);
  });

  test('begins too late in a service that is stopping, and its stream ends at once', async () => {
    const service = await startService();
    await service.app.get(ChangeFeeds).get('plants')?.stop();
    const follower = new Follower();

    await follower.follow(service);

    await vi.waitFor(() => expect(follower.hasEnded).toBe(true));
  });

  test('leaves nothing on a signal that it shares with others', async () => {
    const { app } = await startService();
    const { signal } = new AbortController();
    const batches = app.get(ChangeFeeds).get('plants')?.follow(0n, signal);

    await batches?.next();
    await batches?.return();

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('is cut when its token ends', async () => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read']);
    const followers = [new Follower(secret), new Follower(secret), new Follower()];
    for (const follower of followers) await follower.follow(service);

    await service.send('DELETE', `/tokens/${id}`);

    await vi.waitFor(() => expect(followers.map(({ hasEnded }) => hasEnded)).toEqual([true, true, false]));
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
    const [first] = await changesAfter(service, 0);
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

    expect(namesOf(await changesAfter(service, old))).toEqual(['new']);
    for (const after of [first?.cursor, cursor])
      expect((await read(service, `?after=${after}`)).status).toBe(410);
    expect(namesOf(await changesAfter(service, 0))).toEqual(['old', 'new']);
  });
});

describe('plant-store bring-back', () => {
  const LARGE = '-9223372036854775808';

  test('stores deleted plants again as they were, which is a change for readers, and none that exists', async () => {
    const service = await startService();
    for (const [id, name] of [
      ['1', 'Aloe'],
      ['1', 'Agave'],
      [LARGE, 'é "\u2028'],
    ])
      await service.send('PUT', `/plants/${id}`, { body: { name, tag: 'a' } });
    for (const id of ['1', LARGE]) await service.send('DELETE', `/plants/${id}`);
    const bringBack = async (...args: string[]) => {
      const { stdout, ...result } = await plantStore(service.database, ['bring-back', ...args]);
      return { ...result, stdout: withoutOtherFields(stdout) };
    };

    const results = [
      await bringBack('1'),
      await bringBack('1'),
      await bringBack(LARGE),
      await bringBack('2'),
    ];

    expect(results).toEqual([
      {
        code: 0,
        stdout: '{"id":1,"name":"Agave","tag":"a"}\n',
        stderr: 'Stored again: 1. Written since, and left as they are: 0.\n',
      },
      // Whoever is not sure repeats it.
      { code: 0, stdout: '', stderr: 'Stored again: 0. Written since, and left as they are: 1.\n' },
      {
        code: 0,
        stdout: `{"id":${LARGE},"name":"é \\"\u2028","tag":"a"}\n`,
        stderr: 'Stored again: 1. Written since, and left as they are: 0.\n',
      },
      { code: 1, stdout: '', stderr: 'The store keeps no such deletion. Look in a backup.\n' },
    ]);
    expect(await bringBack()).toMatchObject({ code: 1, stderr: 'Name an id, or --by.\n' });
    expect(await service.database.plants()).toEqual([
      { id: BigInt(LARGE), name: 'é "\u2028', tag: 'a' },
      { id: 1n, name: 'Agave', tag: 'a' },
    ]);
    // The command line is no caller.
    const restored = (await changesAfter(service, 0)).slice(-2);
    expect(restored.map(({ kind, by, plant }) => [kind, by, plant.name])).toEqual([
      ['created', undefined, 'Agave'],
      ['created', undefined, 'é "\u2028'],
    ]);
  });

  test('stores all plants again that a token has deleted since a time, but none that was written since', async () => {
    const service = await startService();
    await service.request('/plants/import', importRequest(numberedLines(250)));
    await service.send('DELETE', '/plants/1');
    const [{ at } = { at: '' }] = (await changesAfter(service, 0)).slice(-1);
    await vi.waitUntil(() => new Date().toISOString() > at);
    const since = new Date().toISOString();
    const { id, headers } = await issue(service, ['plants:write', 'plants:read']);
    for (let plant = 2; plant <= 230; plant += 1)
      await service.send('DELETE', `/plants/${plant}`, { headers });
    await service.send('DELETE', '/plants/240');
    await service.create({ id: 2, name: 'Again' });
    const before = await service.plants();
    const bringBack = async (...args: string[]) =>
      plantStore(service.database, ['bring-back', '--by', id, '--since', since, ...args]);

    const counted = await bringBack('--dry-run');
    const untouched = await service.plants();
    const stored = await bringBack();
    const repeated = await bringBack();
    const changes = await plantStore(service.database, ['changes', '--by', id, '--since', since]);

    const left = 'Written since, and left as they are';
    expect(counted.stderr).toBe(`Would be stored again: 228. ${left}: 1.\n`);
    expect(untouched).toEqual(before);
    expect(stored).toEqual({ ...counted, stderr: `Stored again: 228. ${left}: 1.\n` });
    expect(stored.stdout.split('\n')).toHaveLength(229);
    expect(repeated.stderr).toBe(`Stored again: 0. ${left}: 229.\n`);
    expect(await service.plants()).toHaveLength(before.length + 228);
    expect(changes.stdout.match(/"kind":"deleted"/g)).toHaveLength(229);
  });
});
