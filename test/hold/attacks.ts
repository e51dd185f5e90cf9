import { setTimeout as sleep } from 'node:timers/promises';
import { message, type Target } from './hostile.js';

/** Something that hostile clients do. */
export interface Attack {
  /** What they do, as the table shows it. */
  readonly name: string;
  /**
   * Does it. Connections that are still open afterwards stay so: the service has to get rid of them by itself.
   */
  readonly run: (target: Target) => Promise<unknown>;
  /**
   * What has to work when the service has settled, because the attack may have used it up.
   *
   * @throws Error when it does not.
   */
  readonly afterwards?: (target: Target) => Promise<void>;
}

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
  return `INSERT INTO plants (id, name, tag) VALUES ${plants.flat().join(', ')}, (201, 'Aloe', NULL)`;
}

const LARGE_PAGE = '/plants?after=0&limit=64';
const ESCAPED_PAGE = '/plants?after=100&limit=64';
const SMALL_PLANT = '/plants/201';
const EXPORT = '/plants/export';
const COUNT = '/plants/count';
const IMPORT = '/plants/import';
const BUNDLE = '/docs/swagger-ui-bundle.js';
const SCRIPT = '/docs/show-contract.js';

/** A body may have this many bytes. */
const BODY_LIMIT = 131_072;

/** Ids that nobody else uses. */
const LARGE_IDS = 1_000_000;
const SMALL_IDS = 2_000_000;

/** A part of a request that never becomes whole. */
const UNFINISHED_HEAD = 'GET /plants HTTP/1.1\r\nHost: a\r\nX-Slow: ';

/** Every kind of attack: a phase for each, and one for all together. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'parts of the page, pipelined, then gone',
    run: (target) =>
      target.times(20, async () => {
        const connection = target.connect();
        await connection.send(filled(message('GET', BUNDLE)));
        await connection.answers(1);
        connection.socket.destroy();
      }),
  },
  {
    name: '1 MiB of small requests, pipelined',
    run: (target) =>
      target.times(200, async () => {
        const connection = target.connect();
        await connection.send('GET / HTTP/1.1\r\n\r\n'.repeat(58_000));
        await connection.answers(1);
        connection.socket.destroy();
      }),
  },
  {
    name: 'the script of the page',
    run: (target) => target.times(10, async () => repeat(target, message('GET', SCRIPT), 1_200)),
  },
  {
    name: 'lists of large plants',
    run: (target) => target.times(4, async () => repeat(target, target.request('GET', LARGE_PAGE), 100)),
  },
  {
    name: 'creates',
    run: (target) =>
      target.times(20, async (index) => {
        const creates = Array.from({ length: 250 }, (_, id) =>
          target.request('POST', '/plants', plant(SMALL_IDS + index * 250 + id)),
        );
        await converse(target, creates);
      }),
  },
  {
    name: 'pipelined and never read',
    run: (target) =>
      target.times(24, async (index) => {
        const path = [LARGE_PAGE, BUNDLE, SCRIPT, SMALL_PLANT][index % 4] ?? '';
        await target.connect({ reads: false }).send(filled(target.request('GET', path)));
      }),
  },
  {
    name: 'exports whose body breaks off',
    run: (target) => target.times(80, async (index) => breakBody(target, 'GET', EXPORT, index)),
    afterwards: takeExport,
  },
  {
    name: 'counts of clients that leave',
    run: (target) =>
      target.times(200, async () => {
        const connection = target.connect();
        await connection.send(target.request('GET', COUNT));
        await sleep(target.below(10));
        connection.socket.resetAndDestroy();
      }),
    afterwards: takeExport,
  },
  {
    name: 'imports whose body breaks off',
    run: (target) => target.times(80, async (index) => breakBody(target, 'POST', IMPORT, index)),
    afterwards: (target) =>
      succeed(target, target.request('POST', IMPORT, plant(1), [...NDJSON, 'Connection: close'])),
  },
  {
    name: 'creates of 128 KiB at once',
    run: (target) =>
      target.times(256, async (index) => {
        const id = LARGE_IDS + index;
        const connection = target.connect();
        await connection.send(
          target.request('POST', '/plants', { id, name: 'x', ignored: 'x'.repeat(BODY_LIMIT - 100) }),
        );
        await connection.answers(1);
        await connection.send(target.request('DELETE', `/plants/${id}`));
        await connection.answers(2);
        connection.socket.destroy();
      }),
  },
  {
    name: 'changes of one plant at once',
    run: (target) =>
      target.times(1_000, async (index) => {
        const changes = [0, 1, 2, 3].map((change) =>
          target.request('PATCH', SMALL_PLANT, { name: `Aloe ${index} ${change}` }),
        );
        await converse(target, changes);
      }),
  },
  {
    name: 'large plants, read and changed at once',
    run: (target) =>
      target.times(40, async (index) => {
        const path = `/plants/${1 + (index % 8)}`;
        await converse(target, [
          target.request('GET', path),
          target.request('PATCH', path, { tag: `${index}` }),
        ]);
      }),
  },
  {
    name: '9,000 zeros and a fraction',
    run: (target) => {
      const body = `{"id":${SMALL_IDS - 1},"name":"a","zeros":[0.5${',0'.repeat(9_000)}]}`;
      return target.times(8, async () => repeat(target, target.request('POST', '/plants', body), 1));
    },
  },
  {
    name: 'deep bodies',
    run: (target) =>
      target.times(40, async (index) => {
        const levels = [64, 65, 5_000, 60_000][index % 4] ?? 0;
        const body = `{"id":1,"name":"a","deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
        await repeat(target, target.request('POST', '/plants', body), 1);
      }),
  },
  {
    name: 'huge bodies',
    run: (target) =>
      target.times(40, async (index) => {
        const [method, path, framing] = HUGE[index % HUGE.length] ?? HUGE[0];
        const connection = target.connect();
        const content = index % 2 === 0 ? NDJSON : JSON_TYPE;
        await connection.send(target.request(method, path, undefined, [...content, framing]));
        const piece = 'x'.repeat(65_536);
        for (let sent = 0; sent < 128 && !connection.socket.destroyed; sent += 1) {
          await connection.send(framing === CHUNKED ? chunk(piece) : piece);
        }
        connection.socket.destroy();
      }),
  },
  {
    name: 'malformed bodies',
    run: (target) =>
      target.times(40, async () => {
        const connection = target.connect();
        for (let count = 1; count <= 20 && !connection.socket.destroyed; count += 1) {
          const body = mutated(target, JSON.stringify({ id: target.below(1_000), name: 'ä', tag: '\n' }));
          await connection.send(target.request('PUT', '/plants/202', body));
          await connection.answers(count);
        }
        connection.socket.destroy();
      }),
  },
  {
    name: 'a body in chunks of one byte',
    run: (target) =>
      target.times(4, async () => {
        const connection = target.connect();
        await connection.send(target.request('POST', '/plants', undefined, [...JSON_TYPE, CHUNKED]));
        await connection.send(chunk('x').repeat(BODY_LIMIT - 100));
      }),
  },
  {
    name: 'unfinished bodies of 120 KiB',
    run: (target) =>
      target.times(2_000, async () => {
        const connection = target.connect();
        await connection.send(target.request('POST', '/plants', undefined, UNFINISHED) + ' '.repeat(122_880));
      }),
  },
  {
    name: 'unfinished bodies of 120 KiB, in small pieces',
    run: (target) =>
      target.times(2_000, async () => {
        const connection = target.connect();
        await connection.send(target.request('POST', '/plants', undefined, UNFINISHED) + ' '.repeat(100_000));
        while (!connection.socket.destroyed) {
          await sleep(20);
          await connection.send(' ');
        }
      }),
  },
  {
    name: 'pages that nobody reads',
    run: (target) => unread(target, 40, target.request('GET', LARGE_PAGE)),
  },
  {
    name: 'escaped pages that nobody reads',
    run: (target) => unread(target, 20, target.request('GET', ESCAPED_PAGE)),
  },
  {
    name: 'parts of the page that nobody reads',
    run: (target) => unread(target, 100, message('GET', BUNDLE).repeat(8)),
  },
  {
    name: 'exports that nobody reads',
    run: (target) => unread(target, 12, target.request('GET', EXPORT)),
    afterwards: takeExport,
  },
  {
    name: 'imports that nobody reads',
    run: (target) => {
      const head = target.request('POST', IMPORT, undefined, [...NDJSON, CHUNKED]);
      return unread(target, 12, head + chunk('{}\n'.repeat(20_000)).repeat(8));
    },
  },
  {
    name: 'slow headers',
    run: (target) => target.times(200, async () => drip(target, UNFINISHED_HEAD, 'x', 100)),
  },
  {
    name: 'slow bodies',
    run: (target) => {
      const head = target.request('POST', '/plants', undefined, [...JSON_TYPE, 'Content-Length: 1000']);
      return target.times(200, async () => drip(target, head, ' ', 100));
    },
  },
  {
    name: 'slow readers',
    run: (target) =>
      target.times(24, async (index) => {
        const path = [LARGE_PAGE, EXPORT, BUNDLE, ESCAPED_PAGE][index % 4] ?? '';
        const { socket } = target.connect({ reads: false });
        socket.write(target.request('GET', path));
        for (let piece = 0; piece < 30 && !socket.destroyed; piece += 1) {
          socket.read();
          await sleep(100);
        }
        socket.destroy();
      }),
  },
  {
    name: 'aborted anywhere',
    run: (target) =>
      target.times(50, async () => {
        for (let count = 0; count < 20; count += 1) {
          const request = anyRequest(target);
          const connection = target.connect();
          await connection.send(request.slice(0, target.below(2 * request.length)));
          await sleep(target.below(20));
          if (target.below(2) === 0) connection.socket.resetAndDestroy();
          else connection.socket.destroy();
        }
      }),
  },
  {
    name: 'half-closed',
    run: (target) =>
      target.times(200, async () => {
        const connection = target.connect();
        const request = anyRequest(target);
        connection.socket.end(target.below(2) === 0 ? request : request.slice(0, -target.below(20)));
        await connection.cut();
      }),
  },
  {
    name: 'forged tokens',
    run: (target) =>
      target.times(20, async () => {
        const requests = Array.from({ length: 150 }, () =>
          message('GET', SMALL_PLANT, undefined, [`Authorization: Bearer ${forged(target)}`]),
        );
        await converse(target, requests);
      }),
  },
  {
    name: 'no tokens',
    run: (target) =>
      target.times(100, async (index) => {
        const large = message('POST', '/plants', { id: 1, name: 'x', ignored: 'x'.repeat(BODY_LIMIT - 100) });
        await repeat(target, index % 2 === 0 ? large : message('GET', '/plants'), index % 2 === 0 ? 2 : 60);
      }),
  },
  {
    name: 'malformed messages',
    run: (target) =>
      target.times(400, async () => {
        const connection = target.connect();
        connection.socket.end(mutated(target, anyRequest(target)), 'latin1');
        await connection.cut();
      }),
  },
  {
    name: 'oversized headers',
    run: (target) =>
      target.times(100, async (index) => {
        const line =
          index % 2 === 0 ? `X-Large: ${'x'.repeat(100_000)}` : 'X-Many: x\r\n'.repeat(10_000).trim();
        await repeat(target, message('GET', '/plants', undefined, [line]), 1);
      }),
  },
  {
    name: '2,000 connections',
    run: (target) =>
      target.times(2_000, async (index) => {
        const connection = target.connect();
        const text = ['', UNFINISHED_HEAD, message('GET', '/health/live')][index % 3] ?? '';
        if (text !== '') await connection.send(text);
      }),
  },
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
    [last] = await connection.answers(1);
    if (last === 200) return connection.cut();
    await sleep(100);
  }
  throw new Error(`then a good one is answered ${last}`);
}

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

/** Sends a request so many times, each when the one before it is answered. */
async function repeat(target: Target, request: string, count: number): Promise<void> {
  await converse(
    target,
    Array.from({ length: count }, () => request),
  );
}

/** Sends requests on one connection, each when the one before it is answered. */
async function converse(target: Target, requests: readonly string[]): Promise<void> {
  const connection = target.connect();
  for (const [index, request] of requests.entries()) {
    await connection.send(request);
    await connection.answers(index + 1);
    if (connection.socket.destroyed) break;
  }
  connection.socket.destroy();
}

/** Sends a text on each of so many connections and never reads. */
async function unread(target: Target, count: number, text: string): Promise<void> {
  await target.times(count, async () => void target.connect({ reads: false }).socket.write(text));
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
  if (isChunked) await connection.answers(1);
  connection.socket.end();
  await connection.cut();
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
    () => message('GET', BUNDLE),
    () => message('GET', '/openapi.json'),
    () => message('GET', '/health/ready'),
  ];
  return requests[target.below(requests.length)]?.() ?? '';
}

/** A text of which a few characters are others, are missing or come twice. */
function mutated(target: Target, text: string): string {
  let result = text;
  for (let count = 1 + target.below(5); count > 0; count -= 1) {
    const place = target.below(result.length);
    const between = [String.fromCodePoint(target.below(256)), '', result.slice(place, place + 10).repeat(2)];
    result = result.slice(0, place) + between[target.below(3)] + result.slice(place + 1);
  }
  return result;
}

/** A token that looks like one. */
function forged(target: Target): string {
  return Array.from({ length: 4 }, () => target.below(2 ** 32).toString(36)).join('-');
}
