import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OpenAPI3 } from 'openapi-typescript';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test, vi } from 'vitest';
import {
  ApiError,
  type ChangesQuery,
  ErrorValue,
  type NewPlant,
  type Options,
  type PageQuery,
  PlantStore,
  verifyWebhook,
  WebhookError,
} from '../../clients/typescript/src/index.js';
import { typesOf } from '../../clients/typescript/generate.js';
import { ErrorValue as OfKernel } from '../../src/kernel/errors/error-value.js';
import { readMetrics } from '../support/metrics.js';
import { startProxy } from '../support/network/tcp-proxy.js';
import { freePort } from '../support/postgres-server.js';
import { type Service, startService, TOKEN } from '../support/service.js';

const exec = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../clients/typescript', import.meta.url));
const IDS = [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 2n, 2n ** 63n - 1n];
const SECRET = `whsec_${Buffer.from('a secret of exactly 32 bytes, yes').toString('base64')}`;

type Fetch = NonNullable<Options['fetch']>;

async function startWithClient(options: Partial<Options> = {}) {
  const service = await startService();
  const { plants, changes } = new PlantStore({ url: `${service.url}/`, token: TOKEN, ...options });
  return { service, plants, changes };
}

/** A `fetch` whose first attempts end like this: without a response, or with one that never reaches the client. */
function failing(...failures: (Response | 'lost before' | 'lost after')[]) {
  const methods: string[] = [];
  const attempt = async (request: Request) => {
    methods.push(request.method);
    const failure = failures.shift();
    if (failure instanceof Response) return failure;
    if (failure === 'lost before') throw new TypeError('fetch failed');
    const response = await fetch(request);
    if (failure === undefined) return response;
    await response.text();
    throw new TypeError('fetch failed');
  };
  return { fetch: attempt as Fetch, methods };
}

function away(retryAfter: string): Response {
  const headers = { 'Retry-After': retryAfter };
  return Response.json({ error: 50300, message: 'The service is stopping.' }, { status: 503, headers });
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Runs `example.ts` as the README says. */
function runExample(url: string, token: string) {
  const env = { PLANT_STORE_URL: url, PLANT_STORE_TOKEN: token };
  return exec(process.execPath, [join(FOLDER, 'example.ts')], { env });
}

async function followers(service: Service): Promise<number | undefined> {
  return (await readMetrics(service)).get('plant_store_changes_followers');
}

describe('the TypeScript client', () => {
  test('creates, reads, lists, replaces, changes and deletes a plant', async () => {
    const { service, plants } = await startWithClient();
    const id = -(2n ** 53n) - 1n;
    const etag = expect.stringMatching(/^".+"$/) as string;

    expect(await plants.create({ id, name: 'Aloe', tag: 'a' })).toEqual({ name: 'Aloe', tag: 'a' });
    expect(await plants.get(id)).toEqual({ plant: { id, name: 'Aloe', tag: 'a' }, etag });
    expect(await all(plants.list())).toEqual([{ id, name: 'Aloe', tag: 'a' }]);
    expect(await plants.put({ id, name: 'Agave' })).toEqual({
      plant: { id, name: 'Agave' },
      etag,
      isNew: false,
    });
    expect(await plants.patch(id, { tag: 'b' })).toEqual({ plant: { id, name: 'Agave', tag: 'b' }, etag });
    expect(await service.plants()).toEqual([{ id, name: 'Agave', tag: 'b' }]);
    await plants.delete(id);
    expect(await service.plants()).toEqual([]);
  });

  test('lists and counts every plant, in pages of any size, whatever its name holds', async () => {
    const { plants } = await startWithClient();
    const names = ['', ' +', '%2C', ',1', 'a&after=b', '{"id":"1"}', '草 \u{1F33F}', '\u{10FFFF}'];
    const stored = IDS.map((id, index) => ({ id, name: names[index] ?? '', tag: 'a' }));
    await plants.batch(stored.map((body) => ({ kind: 'create', body })));
    const pages = async (query: PageQuery) => (await all(plants.pages(query))).map((page) => page.plants);

    for (const limit of [1, 3, 8, 100]) {
      expect((await pages({ limit })).flat()).toEqual(stored);
      expect((await pages({ limit, after: `${2n ** 53n}` })).flat()).toEqual(stored.slice(5));
      expect((await pages({ limit, tag: 'a', name: '' })).flat()).toEqual(stored);
    }
    expect(await pages({ limit: 3 })).toHaveLength(3);
    expect(await all(plants.list({ tag: 'none' }))).toEqual([]);
    expect(await all(plants.list({ ids: [0n, -1n] }))).toEqual([stored[3], stored[2]]);
    expect(await plants.page({ limit: 2, total: true, sort: '-id' })).toMatchObject({
      plants: [stored[7], stored[6]],
      total: IDS.length,
    });
    expect(await plants.count({ name: 'a' })).toBe(1);
  });

  test('writes a plant only as long as it is the one that was read', async () => {
    const { plants } = await startWithClient();
    const id = 2n ** 63n - 1n;
    const { etag: ifMatch, isNew } = await plants.put({ id, name: 'Aloe' }, { ifNoneMatch: '*' });
    await plants.patch(id, { name: 'Agave' }, { ifMatch });

    expect(isNew).toBe(true);
    for (const write of [
      () => plants.patch(id, { name: 'Yucca' }, { ifMatch }),
      () => plants.put({ id, name: 'Yucca' }, { ifMatch }),
      () => plants.put({ id, name: 'Yucca' }, { ifNoneMatch: '*' }),
      () => plants.delete(id, { ifMatch }),
    ])
      await expect(write()).rejects.toMatchObject({ error: ErrorValue.PreconditionFailed, status: 412 });
  });

  test('does several operations, all or none', async () => {
    const { service, plants } = await startWithClient();
    const [id, other] = [-(2n ** 63n), 9007199254740995n];

    const results = await plants.batch([
      { kind: 'create', body: { id, name: 'Aloe' } },
      { kind: 'put', id: other, body: { name: 'Yucca' }, ifNoneMatch: '*' },
      { kind: 'patch', id, body: { tag: 'a' }, ifMatch: '*' },
      { kind: 'delete', id: other },
    ]);

    expect(results).toMatchObject([
      { status: 200, body: { id, name: 'Aloe' } },
      { status: 201, body: { id: other, name: 'Yucca' } },
      { status: 200, body: { id, name: 'Aloe', tag: 'a' } },
      { status: 204 },
    ]);
    await expect(plants.batch([{ kind: 'delete', id: other }])).rejects.toMatchObject({ error: 40401 });
    expect(await service.plants()).toEqual([{ id, name: 'Aloe', tag: 'a' }]);
  });

  test('imports and exports as many plants as there are, a few at a time', async () => {
    const lost = failing(away('0'), 'lost after');
    const { plants } = await startWithClient(lost);
    let taken = 0;
    const many = function* (): Generator<NewPlant> {
      for (const id of IDS) yield { id, name: 'Aloe' };
      for (taken = 1; taken <= 2_000; taken += 1) yield { id: BigInt(taken + 1), name: `Aloe ${taken}` };
      yield { id: 1n, name: 'Yucca' };
    };

    const results = plants.import(many());
    const first = await results.next();
    const takenAtFirst = taken;
    const others = await all(results);

    expect(first.value).toEqual({ line: 1, status: 200 });
    expect(takenAtFirst).toBeLessThanOrEqual(1_000);
    expect(others.map(({ line }) => line)).toEqual(Array.from({ length: 2_008 }, (_, index) => index + 2));
    expect(others.filter(({ status }) => status !== 200)).toEqual([
      { line: 2_009, status: 409, error: 40900, message: expect.stringContaining('belongs to another') },
    ]);
    expect(lost.methods).toHaveLength(5);
    const exported = await all(plants.export());
    expect(exported).toHaveLength(2_008);
    expect(exported.map(({ id }) => id)).toEqual(expect.arrayContaining(IDS));
    expect(await all(plants.import([]))).toEqual([]);
  });

  test('follows changes, and goes on where a connection has broken off', async () => {
    const { service, plants, changes } = await startWithClient();
    const proxy = await startProxy(service.port);
    const followed = new PlantStore({ url: `http://127.0.0.1:${proxy.port}`, token: () => TOKEN });
    const end = new AbortController();
    const following = followed.changes.follow({ signal: end.signal });
    const start = await changes.cursor();
    const first = following.next();
    const id = 2n ** 63n - 1n;
    await vi.waitUntil(async () => (await followers(service)) === 1, { timeout: 10_000 });

    await plants.create({ id, name: 'Aloe' });
    const created = await first;
    proxy.leadTo(service.port);
    await plants.put({ id, name: 'Agave' });
    await plants.delete(id);
    const all3 = [created.value, (await following.next()).value, (await following.next()).value];

    expect(all3).toMatchObject([
      { kind: 'created', plant: { id, name: 'Aloe' }, at: expect.any(String), cursor: expect.any(BigInt) },
      { kind: 'changed', plant: { id, name: 'Agave' } },
      { kind: 'deleted', plant: { id, name: 'Agave' } },
    ]);
    expect(await all(changes.read({ after: start }))).toEqual(all3);
    const next = following.next();
    end.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await vi.waitUntil(async () => (await followers(service)) === 0, { timeout: 10_000 });
    await expect(changes.follow({ after: 1n }).next()).rejects.toMatchObject({
      error: ErrorValue.ChangeNotKept,
    });
  });

  test('reads and follows the changes of a plant, a kind, a caller and a time', async () => {
    const { plants, changes } = await startWithClient();
    for (const id of [1n, 2n]) await plants.create({ id, name: 'Aloe' });
    await plants.delete(1n);
    const [{ by = '' } = {}] = await all(changes.read());
    const [past, future] = ['2026-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];

    for (const [query, found] of [
      [{ id: 1n }, ['created 1', 'deleted 1']],
      [{ kind: 'created' }, ['created 1', 'created 2']],
      [{ by, id: 2n }, ['created 2']],
      [{ by: 'nobody' }, []],
      [{ since: past, after: -1n }, ['deleted 1']],
      [{ since: past }, ['created 1', 'created 2', 'deleted 1']],
      [{ since: future }, []],
    ] as [ChangesQuery, string[]][])
      expect((await all(changes.read(query))).map(({ kind, plant }) => `${kind} ${plant.id}`)).toEqual(found);
    const followed = changes.follow({ since: past, kind: 'deleted' });
    expect((await followed.next()).value).toMatchObject({ kind: 'deleted', plant: { id: 1n } });
    await followed.return(undefined as never);
  });

  test('takes a stream of changes that has fallen silent for one that has ended', async () => {
    vi.useFakeTimers();
    try {
      const event = 'id: 7\ndata: {"cursor":"7","at":"","kind":"created","plant":{"id":"9","name":""}}\n\n';
      const keepAlive = ': \nid: 8\nretry: 1000\n\n';
      const afters: (string | null)[] = [];
      const silent = (request: Request) => {
        afters.push(new URL(request.url).searchParams.get('after'));
        const start = (controller: ReadableStreamDefaultController) => {
          controller.enqueue(new TextEncoder().encode(event + keepAlive));
        };
        return Promise.resolve(new Response(new ReadableStream({ start })));
      };
      const { changes } = new PlantStore({ url: 'http://store', token: '', fetch: silent as Fetch });
      const following = changes.follow({ after: 0n });
      await following.next();

      const second = following.next();
      await vi.advanceTimersByTimeAsync(50_000);

      expect((await second).value).toMatchObject({ cursor: 7n, plant: { id: 9n } });
      expect(afters).toEqual(['0', '8']);
      await following.return(undefined as never);
    } finally {
      vi.useRealTimers();
    }
  });

  test('repeats what may be repeated, when the service says so or its response is lost', async () => {
    const id = 2n ** 63n - 1n;
    const lost = failing('lost before', 'lost after', undefined as never, 'lost after', away('0'));
    const { service, plants } = await startWithClient(lost);

    await plants.put({ id, name: 'Aloe' });
    await plants.delete(id);

    expect(lost.methods).toEqual(['PUT', 'PUT', 'PUT', 'DELETE', 'DELETE', 'DELETE']);
    expect(await service.plants()).toEqual([]);
    await expect(plants.delete(id)).rejects.toMatchObject({ error: 40401, attempts: 1 });
  });

  test('sends what may not be repeated once', async () => {
    const { service } = await startWithClient();
    const once: ((store: PlantStore) => Promise<unknown>)[] = [
      ({ plants }) => plants.create({ id: 1n, name: 'Aloe' }),
      ({ plants }) => plants.patch(1n, { name: 'Aloe' }),
      ({ plants }) => plants.batch([{ kind: 'put', id: 1n, body: { name: 'Aloe' } }]),
      ({ plants }) => plants.put({ id: 1n, name: 'Aloe' }, { ifMatch: '*' }),
      ({ plants }) => plants.put({ id: 1n, name: 'Aloe' }, { ifNoneMatch: '*' }),
      ({ plants }) => plants.delete(1n, { ifMatch: '*' }),
    ];

    for (const operation of once) {
      const { fetch, methods } = failing(away('0'));
      const store = new PlantStore({ url: service.url, token: TOKEN, fetch });

      await expect(operation(store)).rejects.toMatchObject({ error: 50300, retryAfter: 0 });
      expect(methods).toHaveLength(1);
    }
  });

  test('waits as long as the service says, and no longer than a signal', async () => {
    const { fetch, methods } = failing(away('60'), away('60'), away('60'));
    const { plants } = new PlantStore({ url: 'http://127.0.0.1:9', token: TOKEN, fetch });
    const end = new AbortController();

    const reading = plants.get(1n, { signal: end.signal });
    await vi.waitUntil(() => methods.length === 1);
    end.abort(new Error('enough'));

    await expect(reading).rejects.toThrow('enough');
    await expect(plants.get(1n, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
    const impatient = new PlantStore({ url: 'http://127.0.0.1:9', token: TOKEN, fetch, retries: 0 });
    await expect(impatient.plants.get(1n)).rejects.toMatchObject({ retryAfter: 60 });
  });

  test('tells what the service refuses, and what a proxy says', async () => {
    const { service, plants } = await startWithClient();
    const stranger = new PlantStore({ url: service.url, token: 'unknown' });
    const proxied = failing(new Response('<h1>Bad Request</h1>', { status: 400 }));

    const missing: unknown = await plants.get(2n ** 63n - 1n).catch((error: unknown) => error);

    expect(missing).toBeInstanceOf(ApiError);
    expect(missing).toMatchObject({
      error: ErrorValue.UnknownResource,
      status: 404,
      message: 'There is no plant with the id 9223372036854775807.',
      requestId: expect.stringMatching(/./),
      attempts: 1,
    });
    await expect(all(stranger.plants.export())).rejects.toMatchObject({ error: ErrorValue.InvalidToken });
    await expect(
      new PlantStore({ url: service.url, token: '', ...proxied }).plants.get(1n),
    ).rejects.toMatchObject({ error: 40000, message: 'The response has the status 400.' });
  });

  test('knows every error value by its name', async () => {
    const contract = (await (await startService()).request('/openapi.json')).text;
    const documented = Array.from(contract.matchAll(/"error":(\d{5})/g), ([, value]) => Number(value));

    expect(ErrorValue).toMatchObject(OfKernel);
    expect(new Set<number>(Object.values(ErrorValue))).toEqual(
      new Set<number>([...documented, ...Object.values(OfKernel)]),
    );
  });

  test('verifies webhooks, with every digit of an id', async () => {
    const now = new Date();
    const body =
      '{"type":"plants.changed","timestamp":"","data":[{"cursor":9007199254740995,"at":"","kind":"created",' +
      String.raw`"plant":{"id":-9223372036854775808,"name":"\\\"12345678901234567890","tag":"1e400"}}]}`;
    const sign = (at: Date) => ({
      'webhook-id': 'a_1_2',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('a_1_2', at, body),
    });
    const headers = sign(now);
    const rotated = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
    const plant = { id: -(2n ** 63n), name: String.raw`\"12345678901234567890`, tag: '1e400' };
    const delivery = { type: 'plants.changed', data: [{ cursor: 9007199254740995n, plant }] };

    for (const taken of [
      { headers, body },
      { headers: new Headers(rotated), body: Buffer.from(body) },
    ])
      expect(await verifyWebhook(SECRET, taken)).toMatchObject(delivery);
    for (const [refused, secret = SECRET] of [
      [{ headers, body: body.replace('created', 'deleted') }],
      [{ headers: sign(new Date(now.getTime() - 400_000)), body }],
      [{ headers: { ...headers, 'webhook-id': 'b' }, body }],
      [{ headers: { ...headers, 'webhook-signature': 'v1,AAAA' }, body }],
      [{ headers: {}, body }],
      [{ headers, body }, `whsec_${Buffer.from('another secret').toString('base64')}`],
    ] as const)
      await expect(verifyWebhook(secret, refused)).rejects.toThrow(WebhookError);
  });

  test('is shown by an example that runs, as often as one likes, and leaves plants alone that it did not make', async () => {
    const { service, plants } = await startWithClient();
    for (const id of IDS) await plants.put({ id, name: 'Aloe', tag: 'example' });
    const before = await service.plants();

    for (let run = 1; run <= 2; run += 1) {
      const { stdout, stderr } = await runExample(service.url, TOKEN);

      const [first = '', second = ''] = [...stdout.matchAll(/^(?:created|put) (\S+):/gm)].map(([, id]) => id);
      expect(stderr).toBe('');
      expect(
        stdout
          .replaceAll(first, '1')
          .replaceAll(second, '2')
          .replace(/(?<=41200: ).+/, '…'),
      ).toBe(
        'created 1: Aloe\nput 2: Yucca\nread 1: Aloe\nchanged 1: Agave\nError 41200: …\nlisted 1: Agave\nlisted 2: Yucca\n' +
          'created 1: Aloe\ncreated 2: Yucca\nchanged 1: Agave\ndeleted 1: Agave\ndeleted 2: Yucca\n',
      );
    }
    expect(await service.plants()).toEqual(before);
  });

  test('is shown by an example that says in one line why it cannot run', async () => {
    const { service } = await startWithClient();
    const nobody = `http://127.0.0.1:${await freePort()}`;

    for (const [url, stderr] of [
      [nobody, `No service answers at ${nobody}: run npm start first.\n`],
      [service.url, 'The access token is not valid.\n'],
    ] as const)
      await expect(runExample(url, 'unknown')).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  });

  test('has the types of the served contract (if not: npm run generate:client)', async () => {
    const service = await startService();
    const { body } = await service.request('/openapi.json');

    const types = await typesOf(body as OpenAPI3);

    expect(readFileSync(join(FOLDER, 'src/contract.ts'), 'utf8')).toBe(types);
  });

  test('is a package with the version and the license of the service, and needs no other', () => {
    const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8');
    const { version, license } = JSON.parse(read('../../package.json')) as Record<string, unknown>;

    const client = JSON.parse(read('package.json')) as Record<string, unknown>;

    expect(client).toMatchObject({ version, license });
    expect(Object.keys(client).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect(read('LICENSE')).toBe(read('../../LICENSE'));
  });
});
