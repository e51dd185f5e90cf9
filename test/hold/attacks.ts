import { setTimeout as sleep } from 'node:timers/promises';
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
const SORTED_PAGE = '/plants?sort=-name&limit=64';
const LARGE_PLANT = '/plants/101';
const ESCAPED_IDS = `/plants?ids=${Array.from({ length: 64 }, (_, index) => 101 + index).join(',')}`;
const ESCAPED_PAGE = '/plants?after=100&limit=64';
const SMALL_PLANT = '/plants/201';
const EXPORT = '/plants/export';
const IMPORT = '/plants/import';
const CHANGES = '/plants/changes?after=0';
const CONTRACT = '/openapi.json';

/** A body may have this many bytes. */
const BODY_LIMIT = 131_072;

/** Ids that nobody else uses. */
const LARGE_IDS = 1_000_000;
const SMALL_IDS = 2_000_000;

/** A part of a request that never becomes whole. */
const UNFINISHED_HEAD = 'GET /plants HTTP/1.1\r\nHost: a\r\nX-Slow: ';

/** Every kind of attack: a phase for each, and one for all together. */
export const ATTACKS: readonly Attack[] = [
  attack('1 MiB of small requests, pipelined', 200, async (target) =>
    leaveEarly(target, 'GET / HTTP/1.1\r\n\r\n'.repeat(58_000)),
  ),
  attack('pipelined and never read', 24, async (target, client) => {
    const path = [LARGE_PAGE, CONTRACT, EXPORT, SMALL_PLANT][client % 4] ?? '';
    await target.connect({ reads: false }).send(filled(target.request('GET', path)));
  }),
  attack('lists of large plants by name', 32, async (target) =>
    converse(target, 20, () => target.request('GET', SORTED_PAGE)),
  ),
  attack('lists of large plants by their ids', 32, async (target) =>
    converse(target, 20, () => target.request('GET', ESCAPED_IDS)),
  ),
  attack('reads of a large plant', 512, async (target) =>
    converse(target, 2, () => target.request('GET', LARGE_PLANT)),
  ),
  attack('readers of all changes', 16, async (target) => {
    const connection = target.connect();
    const lines = ['Accept: application/x-ndjson', 'Connection: close'];
    await connection.send(target.request('GET', CHANGES, undefined, lines));
    await connection.ended;
  }),
  attack('creates of 128 KiB at once', 512, async (target, client) => {
    const id = LARGE_IDS + client;
    const large = { id, name: 'x', ignored: 'x'.repeat(BODY_LIMIT - 100) };
    await converse(target, 2, (index) =>
      index === 0 ? target.request('POST', '/plants', large) : target.request('DELETE', `/plants/${id}`),
    );
  }),
  attack('changes of one plant at once', 1_000, async (target, client) =>
    converse(target, 4, (index) => target.request('PATCH', SMALL_PLANT, { name: `Aloe ${client} ${index}` })),
  ),
  attack('unfinished bodies of 120 KiB', 2_000, async (target) =>
    target.connect().send(target.request('POST', '/plants', undefined, UNFINISHED) + ' '.repeat(122_880)),
  ),
  attack('slow headers and bodies', 400, async (target, client) => {
    const head = target.request('POST', '/plants', undefined, [...JSON_TYPE, 'Content-Length: 1000']);
    await drip(target, client % 2 === 0 ? UNFINISHED_HEAD : head, client % 2 === 0 ? 'x' : ' ', 100);
  }),
  attack('pages that nobody reads', 40, async (target, client) =>
    neverRead(target, target.request('GET', client % 2 === 0 ? LARGE_PAGE : ESCAPED_PAGE)),
  ),
  attack(
    'exports that nobody reads',
    12,
    async (target) => neverRead(target, target.request('GET', EXPORT)),
    takeExport,
  ),
  attack(
    'exports of clients that leave',
    200,
    async (target) => {
      const connection = target.connect();
      await connection.send(target.request('GET', EXPORT));
      await sleep(target.below(10));
      connection.socket.resetAndDestroy();
    },
    takeExport,
  ),
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
  attack('followers of changes that read nothing', 700, async (target) =>
    neverRead(target, target.request('GET', CHANGES, undefined, ['Accept: text/event-stream'])),
  ),
];

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

const JSON_TYPE = ['Content-Type: application/json'];
const NDJSON = ['Content-Type: application/x-ndjson'];
const UNFINISHED = [...JSON_TYPE, `X-Large: ${'x'.repeat(15_000)}`, `Content-Length: ${BODY_LIMIT}`];

function plant(id: number) {
  return { id, name: `hostile ${id}` };
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
    () => target.request('POST', IMPORT, `${JSON.stringify(plant(id))}\n`.repeat(target.below(50)), NDJSON),
    () => target.request('GET', '/plants', undefined, ['Connection: Upgrade', 'Upgrade: websocket']),
    () => message('GET', CONTRACT),
    () => message('GET', '/health/ready'),
  ];
  return requests[target.below(requests.length)]?.() ?? '';
}
