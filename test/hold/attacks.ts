import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN } from '../support/service.js';
import { message, type Target } from './hostile.js';

/** Something that hostile clients do. */
export interface Attack {
  /** What they do, as the table shows it. */
  readonly name: string;
  /** Does it. Connections that are still open afterwards stay so: the service has to get rid of them by itself. */
  readonly run: (target: Target) => Promise<unknown>;
  /** Throws if something does not work when the service has settled, because the attack has used it up. */
  readonly afterwards: ((target: Target) => Promise<void>) | undefined;
}

/** An attack by so many clients at once. */
function attack(
  name: string,
  clients: number,
  act: (target: Target, client: number) => Promise<unknown>,
  afterwards?: (target: Target) => Promise<void>,
): Attack {
  return {
    name,
    run: (target) => target.times(clients, async (client) => act(target, client)),
    afterwards,
  };
}

/** Leaves 100,000 changes of plants that are gone. */
const MANY_CHANGES = `INSERT INTO plants (id, name)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT 3000000 + i, 'Aloe' FROM n;
  DELETE FROM plants WHERE id > 3000000`;

/** SQL that puts into a store what the attacks are made on. */
export const STORE = {
  sqlite: storeOf("replace(hex(zeroblob(8192)), '0', 'x')", "replace(hex(zeroblob(8192)), '0', char(1))"),
  postgres: storeOf("repeat('x', 16384)", 'repeat(chr(1), 16384)'),
};

/** Names of the most characters: 64 of them, 64 more that JSON writes with 96 KiB each, and a small plant. */
function storeOf(large: string, control: string): string {
  const plants = Array.from({ length: 64 }, (_, index) => [
    `(${1 + index}, ${large}, NULL)`,
    `(${101 + index}, ${control}, NULL)`,
  ]);
  return `INSERT INTO plants (id, name, tag) VALUES ${plants.flat().join(', ')}, (201, 'Aloe', NULL); ${MANY_CHANGES}`;
}

const LARGE_PAGE = '/plants?after=0&limit=64';
const ESCAPED_PAGE = '/plants?after=100&limit=64';
const SMALL_PLANT = '/plants/201';
const EXPORT = '/plants/export';
const COUNT = '/plants/count';
const IMPORT = '/plants/import';
const CHANGES = '/plants/changes?after=0';
const CONTRACT = '/openapi.json';
const PAGE = '/docs';

/** A body may have this many bytes. */
const BODY_LIMIT = 131_072;

/** Ids that nobody else uses. */
const LARGE_IDS = 1_000_000;
const SMALL_IDS = 2_000_000;

/** A part of a request that never becomes whole. */
const UNFINISHED_HEAD = 'GET /plants HTTP/1.1\r\nHost: a\r\nX-Slow: ';

/** Every kind of attack: a phase for each, and one for all together. */
export const ATTACKS: readonly Attack[] = [
  attack('the contract, pipelined, then gone', 20, async (target) =>
    leaveEarly(target, filled(message('GET', CONTRACT))),
  ),
  attack('1 MiB of small requests, pipelined', 200, async (target) =>
    leaveEarly(target, 'GET / HTTP/1.1\r\n\r\n'.repeat(58_000)),
  ),
  attack('readers of all changes', 16, async (target) => {
    const connection = target.connect();
    const lines = ['Accept: application/x-ndjson', 'Connection: close'];
    await connection.send(target.request('GET', CHANGES, undefined, lines));
    await connection.ended;
  }),
  attack('the page', 10, async (target) => converse(target, 1_200, () => message('GET', PAGE))),
  attack('lists of large plants', 4, async (target) =>
    converse(target, 100, () => target.request('GET', LARGE_PAGE)),
  ),
  attack('creates', 20, async (target, client) =>
    converse(target, 250, (index) =>
      target.request('POST', '/plants', plant(SMALL_IDS + client * 250 + index)),
    ),
  ),
  attack('pipelined and never read', 24, async (target, client) => {
    const path = [LARGE_PAGE, CONTRACT, PAGE, SMALL_PLANT][client % 4] ?? '';
    await target.connect({ reads: false }).send(filled(target.request('GET', path)));
  }),
  attack(
    'exports whose body breaks off',
    80,
    async (target, client) => breakBody(target, 'GET', EXPORT, client),
    takeExport,
  ),
  attack(
    'counts of clients that leave',
    200,
    async (target) => {
      const connection = target.connect();
      await connection.send(target.request('GET', COUNT));
      await sleep(target.below(10));
      connection.socket.resetAndDestroy();
    },
    takeExport,
  ),
  attack(
    'imports whose body breaks off',
    80,
    async (target, client) => breakBody(target, 'POST', IMPORT, client),
    async (target) =>
      succeed(target, target.request('POST', IMPORT, plant(1), [...NDJSON, 'Connection: close'])),
  ),
  attack('creates of 128 KiB at once', 256, async (target, client) => {
    const id = LARGE_IDS + client;
    const large = { id, name: 'x', ignored: 'x'.repeat(BODY_LIMIT - 100) };
    await converse(target, 2, (index) =>
      index === 0 ? target.request('POST', '/plants', large) : target.request('DELETE', `/plants/${id}`),
    );
  }),
  attack('changes of one plant at once', 1_000, async (target, client) =>
    converse(target, 4, (index) => target.request('PATCH', SMALL_PLANT, { name: `Aloe ${client} ${index}` })),
  ),
  attack('large plants, read and changed at once', 40, async (target, client) => {
    const path = `/plants/${1 + (client % 8)}`;
    await converse(target, 2, (index) =>
      index === 0 ? target.request('GET', path) : target.request('PATCH', path, { tag: `${client}` }),
    );
  }),
  attack('9,000 zeros and a fraction', 8, async (target) => {
    const body = `{"id":${SMALL_IDS - 1},"name":"a","zeros":[0.5${',0'.repeat(9_000)}]}`;
    await converse(target, 1, () => target.request('POST', '/plants', body));
  }),
  attack('deep bodies', 40, async (target, client) => {
    const levels = [64, 65, 5_000, 60_000][client % 4] ?? 0;
    const body = `{"id":1,"name":"a","deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    await converse(target, 1, () => target.request('POST', '/plants', body));
  }),
  attack('huge bodies', 40, async (target, client) => {
    const [method, path, framing] = HUGE[client % HUGE.length] ?? HUGE[0];
    const connection = target.connect();
    const content = client % 2 === 0 ? NDJSON : JSON_TYPE;
    await connection.send(target.request(method, path, undefined, [...content, framing]));
    const piece = 'x'.repeat(65_536);
    for (let sent = 0; sent < 128 && !connection.socket.destroyed; sent += 1) {
      await connection.send(framing === CHUNKED ? chunk(piece) : piece);
    }
    connection.socket.destroy();
  }),
  attack('malformed bodies', 40, async (target) =>
    converse(target, 20, () => {
      const body = JSON.stringify({ id: target.below(1_000), name: 'ä', tag: '\n' });
      return target.request('PUT', '/plants/202', target.mutated(body).toString());
    }),
  ),
  attack('a body in chunks of one byte', 4, async (target) => {
    const head = target.request('POST', '/plants', undefined, [...JSON_TYPE, CHUNKED]);
    await target.connect().send(head + chunk('x').repeat(BODY_LIMIT - 100));
  }),
  attack('unfinished bodies of 120 KiB', 2_000, async (target) =>
    target.connect().send(target.request('POST', '/plants', undefined, UNFINISHED) + ' '.repeat(122_880)),
  ),
  attack('unfinished bodies of 120 KiB, in small pieces', 2_000, async (target) =>
    drip(target, target.request('POST', '/plants', undefined, UNFINISHED) + ' '.repeat(100_000), ' ', 20),
  ),
  attack('pages that nobody reads', 40, async (target) =>
    neverRead(target, target.request('GET', LARGE_PAGE)),
  ),
  attack('escaped pages that nobody reads', 20, async (target) =>
    neverRead(target, target.request('GET', ESCAPED_PAGE)),
  ),
  attack('parts of the page that nobody reads', 100, async (target) =>
    neverRead(target, message('GET', CONTRACT).repeat(8)),
  ),
  attack(
    'exports that nobody reads',
    12,
    async (target) => neverRead(target, target.request('GET', EXPORT)),
    takeExport,
  ),
  attack('imports that nobody reads', 6, async (target) => {
    const head = target.request('POST', IMPORT, undefined, [...NDJSON, CHUNKED]);
    await neverRead(target, head + chunk('{}\n'.repeat(20_000)).repeat(8));
  }),
  attack('slow headers', 200, async (target) => drip(target, UNFINISHED_HEAD, 'x', 100)),
  attack('slow bodies', 200, async (target) => {
    const head = target.request('POST', '/plants', undefined, [...JSON_TYPE, 'Content-Length: 1000']);
    await drip(target, head, ' ', 100);
  }),
  attack('slow readers', 24, async (target, client) => {
    const path = [LARGE_PAGE, EXPORT, CONTRACT, ESCAPED_PAGE][client % 4] ?? '';
    const { socket } = target.connect({ reads: false });
    socket.write(target.request('GET', path));
    for (let piece = 0; piece < 30 && !socket.destroyed; piece += 1) {
      socket.read();
      await sleep(100);
    }
    socket.destroy();
  }),
  attack('aborted anywhere', 50, async (target) => {
    for (let count = 0; count < 20; count += 1) {
      const request = anyRequest(target);
      const connection = target.connect();
      await connection.send(request.slice(0, target.below(2 * request.length)));
      await sleep(target.below(20));
      if (target.below(2) === 0) connection.socket.resetAndDestroy();
      else connection.socket.destroy();
    }
  }),
  attack('half-closed', 200, async (target) => {
    const request = anyRequest(target);
    const { socket, ended } = target.connect();
    socket.end(target.below(2) === 0 ? request : request.slice(0, -target.below(20)));
    await ended;
  }),
  attack(
    'searches that find nothing',
    100,
    async (target, client) => {
      const words = Array.from({ length: 8 }, (_, word) => String.fromCodePoint(0x41 + client + 32 * word));
      const path = `/plants?search=${encodeURIComponent(words.join(' '))}`;
      await converse(target, 10, () => target.request('GET', path));
    },
    takeExport,
  ),
  attack('forged tokens', 20, async (target) =>
    converse(target, 150, () => {
      const token = Array.from({ length: 4 }, () => target.below(2 ** 32).toString(36)).join('-');
      return message('GET', SMALL_PLANT, undefined, [`Authorization: Bearer ${token}`]);
    }),
  ),
  attack('no tokens', 100, async (target, client) => {
    const large = { id: 1, name: 'x', ignored: 'x'.repeat(BODY_LIMIT - 100) };
    const request = client % 2 === 0 ? message('POST', '/plants', large) : message('GET', '/plants');
    await converse(target, client % 2 === 0 ? 2 : 60, () => request);
  }),
  attack('malformed messages', 400, async (target) => {
    const { socket, ended } = target.connect();
    socket.end(target.mutated(anyRequest(target)));
    await ended;
  }),
  attack('oversized headers', 100, async (target, client) => {
    const line = client % 2 === 0 ? `X-Large: ${'x'.repeat(100_000)}` : 'X-Many: x\r\n'.repeat(10_000).trim();
    await converse(target, 1, () => message('GET', '/plants', undefined, [line]));
  }),
  attack('2,000 connections', 2_000, async (target, client) => {
    const text = ['', UNFINISHED_HEAD, message('GET', '/health/live')][client % 3] ?? '';
    await target.connect().send(text);
  }),
  attack('more connections than descriptors', 3_500, async (target) => target.connect().send('')),
  attack('webhooks to names without an answer', 20, async (target, client) => awaitName(target, client)),
];

/** Makes a webhook to a name whose name server never answers, and deletes it during the look-up. */
async function awaitName({ url }: Target, client: number): Promise<void> {
  const request = { method: 'POST', headers: { Authorization: `Bearer ${TOKEN}`, ...JSON_HEADERS } };
  const body = JSON.stringify({ url: `https://client-${client}.example/`, resource: 'plants' });
  try {
    const { headers } = await fetch(`${url}/webhooks`, { ...request, body });
    await sleep(1_000);
    await fetch(`${url}/${headers.get('Location')}`, { ...request, method: 'DELETE' });
  } catch (error) {
    // The service may be stopping.
    if (!(error instanceof TypeError)) throw error;
  }
}

/**
 * Exports the whole store.
 *
 * @throws Error when that is refused.
 */
export async function takeExport(target: Target): Promise<void> {
  await succeed(target, target.request('GET', EXPORT, undefined, ['Connection: close']));
}

/** Sends a request that closes its connection until it is answered 200, and takes the whole answer. */
async function succeed(target: Target, request: string): Promise<void> {
  let last: number | undefined;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const connection = target.connect();
    await connection.send(request);
    [last] = await connection.responses(1);
    if (last === 200) return void (await connection.ended);
    await sleep(100);
  }
  throw new Error(`then a good one is answered ${last}`);
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const JSON_TYPE = ['Content-Type: application/json'];
const NDJSON = ['Content-Type: application/x-ndjson'];
const CHUNKED = 'Transfer-Encoding: chunked';
const UNFINISHED = [...JSON_TYPE, `X-Large: ${'x'.repeat(15_000)}`, `Content-Length: ${BODY_LIMIT}`];

const HUGE = [
  ['POST', '/plants', 'Content-Length: 1000000000000'],
  ['POST', IMPORT, 'Content-Length: 1000000000000'],
  ['POST', '/plants', CHUNKED],
  ['POST', IMPORT, CHUNKED],
  ['GET', '/plants', CHUNKED],
] as const;

function plant(id: number) {
  return { id, name: `hostile ${id}` };
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** A request as often as 64 KiB hold it. */
function filled(request: string): string {
  return request.repeat(Math.floor(65_536 / request.length));
}

/** Sends so many requests on one connection, each when the one before it is answered. */
async function converse(target: Target, count: number, requestAt: (index: number) => string): Promise<void> {
  const connection = target.connect();
  for (let index = 0; index < count && !connection.socket.destroyed; index += 1) {
    await connection.send(requestAt(index));
    await connection.responses(index + 1);
  }
  connection.socket.destroy();
}

/** Sends requests at once, and leaves after the first answer. */
async function leaveEarly(target: Target, requests: string): Promise<void> {
  const connection = target.connect();
  await connection.send(requests);
  await connection.responses(1);
  connection.socket.destroy();
}

/** Sends a text and never reads. */
async function neverRead(target: Target, text: string): Promise<void> {
  target.connect({ reads: false }).socket.write(text);
  await sleep(500);
}

/** Sends the beginning of a request, and then a byte at a time until it is cut off. */
async function drip(target: Target, beginning: string, byte: string, milliseconds: number): Promise<void> {
  const connection = target.connect();
  await connection.send(beginning);
  while (!connection.socket.destroyed) {
    connection.socket.write(byte);
    await sleep(milliseconds);
  }
}

/** Begins a request whose body has no right framing: a chunk without a length, or fewer bytes than announced. */
async function breakBody(target: Target, method: string, path: string, index: number): Promise<void> {
  const isChunked = index % 2 === 0;
  const framing = isChunked ? CHUNKED : 'Content-Length: 10';
  const connection = target.connect();
  await connection.send(
    target.request(method, path, undefined, [...NDJSON, framing]) + (isChunked ? 'zz' : '{"i'),
  );
  if (isChunked) await connection.responses(1);
  connection.socket.end();
  await connection.ended;
}

/** A request of any kind with the token. */
function anyRequest(target: Target): string {
  const id = SMALL_IDS + target.below(1_000);
  const requests = [
    () => target.request('POST', '/plants', plant(id)),
    () => target.request('PUT', `/plants/${id}`, { name: 'x'.repeat(target.below(5_000)) }),
    () => target.request('PATCH', `/plants/${id}`, { tag: null }),
    () => target.request('DELETE', `/plants/${id}`),
    () => target.request('GET', `/plants/${id}`),
    () => target.request('GET', '/plants?after=20&limit=100'),
    () => target.request('GET', LARGE_PAGE),
    () => target.request('GET', EXPORT),
    () => target.request('GET', COUNT),
    () => target.request('POST', IMPORT, `${JSON.stringify(plant(id))}\n`.repeat(target.below(50)), NDJSON),
    () => target.request('POST', '/plants', plant(id), ['Expect: 100-continue']),
    () => target.request('GET', '/plants', undefined, ['Connection: Upgrade', 'Upgrade: websocket']),
    () => message('CONNECT', 'plants:80'),
    () => message('OPTIONS', '*'),
    () => message('GET', CONTRACT),
    () => message('GET', PAGE),
    () => message('GET', '/health/ready'),
  ];
  return requests[target.below(requests.length)]?.() ?? '';
}
