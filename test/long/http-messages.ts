import type { PlantContent } from '../support/plant-reference.js';
import { items } from './items.js';
import { mutated } from './plant-texts.js';
import type { Random } from './random.js';
import { AUTHORIZATION } from './run.js';

/** A whole request, however odd it looks, with what may be answered to it. */
export interface Message {
  readonly bytes: Buffer;
  readonly requestId: string;
  readonly statuses: readonly number[];
  readonly isHead: boolean;
  readonly isCreate: boolean;
  /** What is stored when it succeeds. */
  readonly plant?: { readonly id: bigint; readonly content: PlantContent };
}

/** What no server may take for a request, or not for this one. */
export interface BrokenMessage {
  readonly bytes: Buffer;
  /** What is wrong with it, in short. */
  readonly name: string;
  /** Whether nobody knows where the next message begins, so that nothing behind it may be answered. */
  readonly mustClose: boolean;
}

/** Between two ids: a prime, so that a digit that is mutated makes none of them into another. */
const DISTANCE = 1_000_003n;

/** The plant of an input, which no other input speaks of. */
export function plantOf(index: number): { readonly id: bigint; readonly content: PlantContent } {
  return { id: 5n * 10n ** 15n + BigInt(index) * DISTANCE, content: { name: `message ${index}`, tag: null } };
}

/** A request in a form that HTTP allows, perhaps with a certain header line. */
export function wellFormed(random: Random, index: number, line?: string): Message {
  const { id, content } = plantOf(index);
  const body = JSON.stringify({ name: content.name });
  const withId = `{"id":${id},${body.slice(1)}`;
  const kinds: readonly (readonly [weight: number, kind: Kind])[] = [
    [6, { method: 'POST', path: '/plants', body: withId, statuses: [200], stores: true }],
    [4, { method: 'PUT', path: `/plants/${id}`, body, statuses: [201], stores: true }],
    [
      2,
      {
        method: 'POST',
        path: '/plants/import',
        body: `${withId}\n`,
        statuses: [200],
        stores: true,
        type: 'application/x-ndjson',
      },
    ],
    [2, { method: 'PATCH', path: `/plants/${id}`, body, statuses: [404] }],
    [2, { method: 'GET', path: `/plants/${id}`, statuses: [404] }],
    [2, { method: 'DELETE', path: `/plants/${id}`, statuses: [404] }],
    [2, { method: 'GET', path: '/plants?limit=2', statuses: [200] }],
    [2, { method: 'GET', path: '/health/live', statuses: [200] }],
    [1, { method: 'GET', path: '/health/ready', statuses: [200] }],
    [1, { method: 'GET', path: '/plants/export', statuses: [200, 503] }],
    [1, { method: 'GET', path: '/plants/count', statuses: [200, 503] }],
    [1, { method: 'HEAD', path: `/plants/${id}`, statuses: [404] }],
    [1, { method: 'HEAD', path: '/health/live', statuses: [200] }],
    [1, { method: 'HEAD', path: '/plants/export', statuses: [200] }],
    [1, { method: 'OPTIONS', path: '/plants', statuses: [204] }],
    [1, { method: 'OPTIONS', path: '*', statuses: [200, 204, 400, 404] }],
    [1, { method: 'GET', path: '/nowhere?x=%zz', statuses: [404] }],
    [1, { method: random.pick(METHODS), path: '/plants', statuses: [501] }],
    [1, { method: random.pick(METHODS), path: `/plants/${id}`, body, statuses: [501] }],
    [1, { method: 'POST', path: '/plants', body: withId, statuses: [401], without: AUTHORIZATION }],
    [1, { method: 'POST', path: '/plants', body: withId, statuses: [400], without: HOST }],
    [1, { method: 'POST', path: '/plants', body: withId, statuses: [415], type: 'text/plain' }],
    [1, { method: 'POST', path: '/plants', body: withId.slice(1), statuses: [400] }],
    [1, { method: 'POST', path: '/plants', statuses: [400] }],
    [1, { method: 'GET', path: `/plants/${id}`, body, statuses: [404] }],
  ];
  const kind = random.weighted(kinds);
  const requestId = `message-${index}`;
  return {
    bytes: write(random, kind, [`X-Request-Id: ${requestId}`, ...(line === undefined ? [] : [line])]),
    requestId,
    statuses: kind.statuses,
    isHead: kind.method === 'HEAD',
    isCreate: kind.method === 'POST' && kind.path === '/plants',
    ...(kind.stores && { plant: { id, content } }),
  };
}

/** The last request of a connection, which asks to close it. */
export function lastMessage(index: number): Message {
  const requestId = `end-${index}`;
  return {
    bytes: Buffer.from(
      `GET /health/live HTTP/1.1\r\nHost: plants\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n`,
    ),
    requestId,
    statuses: [200],
    isHead: false,
    isCreate: false,
  };
}

/** A create of which the head is a little wrong, and maybe right all the same. */
export function mutatedMessage(random: Random, index: number): Buffer {
  const { id, content } = plantOf(index);
  const isPut = random.once(3);
  const body = JSON.stringify(
    isPut ? { name: content.name } : { id: JSON.rawJSON(String(id)), name: content.name },
  );
  const lines = [
    isPut ? `PUT /plants/${id} HTTP/1.1` : 'POST /plants HTTP/1.1',
    HOST,
    AUTHORIZATION,
    JSON_TYPE,
    `Content-Length: ${body.length}`,
  ];
  if (random.once(2)) {
    const place = random.between(1, lines.length);
    lines.splice(
      place,
      random.below(2),
      random.pick(EXTRA_LINES),
      ...(random.once(4) ? [random.pick(lines)] : []),
    );
  }
  const end = random.weighted([
    [8, '\r\n'],
    [1, '\n'],
    [1, '\r'],
  ]);
  const head = Buffer.from(`${lines.join(random.once(6) ? end : '\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([random.once(3) ? head : mutated(random, head), Buffer.from(body)]);
}

/** The deletion of a plant with a body that breaks the rules of HTTP, behind a head that is right. */
export function brokenDeletion(random: Random, index: number): Buffer {
  const broken = random.pick(CHUNKS).replace('BODY', '5\r\nabcde\r\n');
  const start = `DELETE /plants/${plantOf(index).id} HTTP/1.1`;
  return Buffer.from(message(start, [HOST, AUTHORIZATION, CHUNKED], broken), 'latin1');
}

/** An import of a whole line whose body breaks the rules of HTTP behind that. */
export function brokenImport(random: Random, index: number): Buffer {
  const { id, content } = plantOf(index);
  const line = `{"id":${id},"name":"${content.name}"}\n`;
  const chunk = `${line.length.toString(16)}\r\n${line}\r\n`;
  const lines = [HOST, AUTHORIZATION, 'Content-Type: application/x-ndjson', CHUNKED];
  const broken = random.pick(['zz\r\n', '5\r\nabcdefgh', '0\r\nno trailer\r\n\r\n', '-1\r\n']);
  return Buffer.from(message('POST /plants/import HTTP/1.1', lines, chunk + broken), 'latin1');
}

/** A message that has to be refused. */
export function brokenMessage(random: Random, index: number): BrokenMessage {
  const { id, content } = plantOf(index);
  const body = JSON.stringify({ id: JSON.rawJSON(String(id)), name: content.name });
  // A request within the body, for whoever takes that for shorter than it is.
  const inner = `POST /plants HTTP/1.1\r\n${HOST}\r\n${AUTHORIZATION}\r\n${JSON_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const length = `Content-Length: ${body.length}`;
  const all = [HOST, AUTHORIZATION, JSON_TYPE];
  const create = (lines: readonly string[], text: string) => message(CREATE, [...all, ...lines], text);
  const placed = (line: string) => {
    const lines = [...all, length];
    lines.splice(random.between(1, lines.length), 0, line);
    return message(CREATE, lines, body);
  };
  const [name, text, mustClose = true] = random.pick<
    () => readonly [name: string, text: string, mustClose?: boolean]
  >([
    () => ['both lengths', create([`Content-Length: ${5 + inner.length}`, CHUNKED], `0\r\n\r\n${inner}`)],
    () => ['both lengths', create([CHUNKED, `Content-Length: ${5 + inner.length}`], `0\r\n\r\n${inner}`)],
    () => ['two Content-Length', create([`Content-Length: ${inner.length}`, 'Content-Length: 0'], inner)],
    () => ['two Content-Length', create(['Content-Length: 0', `Content-Length: ${inner.length}`], inner)],
    () => [
      'a wrong Content-Length',
      create([`Content-Length: ${random.pick(LENGTHS).replace('N', String(body.length))}`], body),
    ],
    () => [
      'a wrong Transfer-Encoding',
      create([`Transfer-Encoding: ${random.pick(ENCODINGS)}`], `0\r\n\r\n${inner}`),
    ],
    () => [
      'a coding that nobody knows',
      create([`Transfer-Encoding: ${random.pick(['gzip, chunked', 'x, chunked'])}`], chunked),
      false,
    ],
    () => ['a wrong header line', placed(random.pick(WRONG_LINES))],
    () => ['a wrong start line', message(random.pick(START_LINES), [...all, length], body)],
    () => ['a wrong target', message(`POST ${random.pick(TARGETS)} HTTP/1.1`, [...all, length], body), false],
    () => [
      'an unknown method',
      message(
        random.pick(['FOO / HTTP/1.1', 'PLANT /plants HTTP/1.1', 'post /plants HTTP/1.1', 'X!#$ / HTTP/1.1']),
        [...all, length],
        body,
      ),
      false,
    ],
    () => ['wrong chunks', create([CHUNKED], random.pick(CHUNKS).replace('BODY', chunked.slice(0, -5)))],
    () => ['two Hosts', message(CREATE, [HOST, ...all, length], body), false],
    () => [
      'a wrong Host',
      message(CREATE, [`Host: ${random.pick(HOSTS)}`, ...all.slice(1), length], body),
      false,
    ],
    () => ['too large headers', placed(`X-Long: ${'x'.repeat(random.between(16_384, 40_000))}`)],
    () => ['too large headers', placed('X-Short: 1\r\n'.repeat(random.between(1_400, 3_000)).trimEnd())],
    () => [
      'too large a target',
      message(`GET /${'x'.repeat(random.between(16_384, 40_000))} HTTP/1.1`, all, ''),
    ],
    () => ['CONNECT', message('CONNECT plants:80 HTTP/1.1', ['Host: plants:80'], '')],
    () => ['no HTTP', random.pick(GARBAGE)],
  ])();
  return { bytes: Buffer.from(text, 'latin1'), name, mustClose };
}

function message(start: string, lines: readonly string[], text: string): string {
  return `${[start, ...lines].join('\r\n')}\r\n\r\n${text}`;
}

interface Kind {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
  readonly body?: string;
  readonly type?: string;
  /** A header line that is left out. */
  readonly without?: string;
  readonly stores?: boolean;
}

const CREATE = 'POST /plants HTTP/1.1';
const HOST = 'Host: plants';
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';

/** Methods that are known, but that the service does not implement. */
const METHODS = items(`
  TRACE  PROPFIND  MKCOL  LOCK  SEARCH  REPORT  M-SEARCH  PURGE  QUERY  SOURCE  LINK
`);

const OLD_PATHS = /^\/(?:plants(?:\/\d+|\?.*)?|health\/live)$/;

const GOOD_HOSTS = [
  '',
  ...items(`
  plants  localhost:80  127.0.0.1  [::1]:3000  EXAMPLE.com.  x_y
`),
];

const FINE_LINES = [
  `X-Long: ${'x'.repeat(2_500)}`,
  // A request may get several of these, and has 100 header lines at most.
  'X-Short: 1\r\n'.repeat(20).trimEnd(),
  ...items(`
  X-Empty:  X-Tab:\ta\tb\t  x-obs: \x80\xff  !#$%&'*+-.^_\`|~09Az: x  Accept: */*  Connection: keep-alive
  Connection: x, Keep-Alive  Connection:  TE: trailers  Upgrade: h2c  Range: bytes=0-  Cookie: a
  Cookie: b  Content-Type-Options: x  Content-Length-X: 5  X-Host: a  __proto__: x  Max-Forwards: 0
  Via: 1.0 x  Date: now  Pragma: no-cache  From: x  If-Modified-Since: x  Trailer: X-T
`),
];

/** Lines that turn a message into another one. */
const EXTRA_LINES = [
  CHUNKED,
  ' folded',
  'X: a\r\n b',
  ...items(`
  Content-Length: 0  Content-Length: 1  Content-Length: 40  Content-Length: 99999  Content-Length:
  Transfer-Encoding: identity  Transfer-Encoding:  TE: chunked  \tfolded  Host:  Host: other
  Expect: 100-continue  Connection: close  Connection: Content-Length
  Upgrade: h2c\r\nConnection: Upgrade  X  X : y  : y  X:\x00  X:\x01  X:\x7f  X:\ry  X:\ny
  X-Request-Id: a\tb  Content-Encoding: gzip  Authorization: Basic x  Content-Type: text/plain
  If-Match: *  If-None-Match: *
`),
];

const LENGTHS = items(`
  +N  -1  -0  0xN  N,N  N, 0  N N  1e1  N.0  99999999999999999999999  N;  "N"  \xd9\xa3  Nx  \x0bN
  chunked  18446744073709551617
`);
const ENCODINGS = items(`
  xchunked  chunked, gzip  chunked, identity  identity  "chunked"  chunked;q=1  gzip  chunkedx
  \x0bchunked  chunk  5  chunked\x80
`);
const WRONG_LINES = [
  ' : y',
  ...items(`
  X : y  X\t: y  : y  X Y: z  X(Y): z  X@Y: z  \xe9: z  X  X\x00: y  X: \x00  X: a\x01b  X: \x7f  X: a\rb
  "X": y  {X}: y  X/Y: z  X;: y  Content-Length : 5  Transfer-Encoding : chunked  Content-Length\t: 0
`),
];
const START_LINES = [
  'POST /plants HTTP/1.1 ',
  ' POST /plants HTTP/1.1',
  ...items(`
  POST /plants  POST /plants HTTP/1.1 x  POST /pl ants HTTP/1.1  /plants HTTP/1.1  POST plants HTTP/1.1
  POST HTTP/1.1  POST /plants HTTP/1.10  POST /plants HTTP/1  POST /plants HTTP/11  POST /plants http/1.1
  POST /plants HTTPS/1.1  POST /plants HTTP/3.0  POST /plants HTTP/1.2  POST /plants HTTP/-1.1
  POST /plants\x00 HTTP/1.1  POST /plants\x01 HTTP/1.1  POST\t/plants\tHTTP/1.1  P\x00ST /plants HTTP/1.1
  \xe9POST /plants HTTP/1.1  POST: /plants HTTP/1.1  HTTP/1.1 200 OK  POST /plants ICE/1.0  {}
  POST /plants HTTP/2.0  POST /plants HTTP/0.9
`),
];
const TARGETS = items(`
  http://  http://[  http://[::1  http://a@b:c/plants  http://%/plants  http://plants/%  https:plants  foo:bar  plants  *  ?
  \\  //  /\\  //plants  ///  /plants%  /%2Fplants  /plants/%00  /./plants  /plants/..  /\x7f  /plants|  /plants/1^
`);
const CHUNKS = [
  'zz\r\nBODY0\r\n\r\n',
  '-1\r\nBODY0\r\n\r\n',
  '0x5\r\nBODY0\r\n\r\n',
  ' 5\r\nBODY',
  '\r\nBODY0\r\n\r\n',
  'FFFFFFFFFFFFFFFFFF\r\nBODY',
  '10000000000000000\r\nBODY',
  '1\r\nBODY',
  '5\r\n{"id"x\r\n0\r\n\r\n',
  'BODYx\r\n\r\n',
  'BODY0\r\nno trailer\r\n\r\n',
  'BODY0\r\nX : y\r\n\r\n',
  'BODY0\r\n\0\r\n\r\n',
  'BODY0;\x01\r\n\r\n',
  'BODY0\rx\r\n\r\n',
  'BODY0x\r\n\r\n',
  'BODY\r\n0\r\n\r\n',
];
const HOSTS = items(`
  a b  a/b  a@b  a,b  a b/c@d  http://a  \xff  a#b  a?b  "a"  a:b:c  [::1  a\tb  <a>  a\\b
`);
const GARBAGE = [
  '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'SSH-2.0-x\r\n',
  '\0\0\0\0',
  '\xff\xfe\xfd',
  'EHLO x\r\n',
  '{"id":1}\r\n\r\n',
  '*1\r\n$4\r\nPING\r\n',
  '\x04\x01\0\x50\x7f\0\0\x01\0',
  '<xml/>\r\n\r\n',
  '%\r\n',
];

/** Writes a request in one of the many ways that mean the same. */
function write(
  random: Random,
  { method, path, body, type = 'application/json', without, stores }: Kind,
  own: readonly string[],
): Buffer {
  const host = random.once(4) ? `Host: ${random.pick(GOOD_HOSTS)}` : HOST;
  // An answer to HTTP/1.0 that has no length is the last one of its connection.
  const isOld =
    random.once(30) && OLD_PATHS.test(path) && ['GET', 'POST', 'PUT'].includes(method) && without !== HOST;
  const isChunked = body !== undefined && !isOld && random.once(2);
  const lines = [...own];
  if (without !== HOST) lines.push(host);
  if (without !== AUTHORIZATION) lines.push(AUTHORIZATION);
  if (body !== undefined)
    lines.push(
      `Content-Type: ${type}`,
      isChunked ? random.pick([CHUNKED, 'transfer-encoding:  Chunked']) : `Content-Length: ${body.length}`,
    );
  else if (random.once(8) && method !== 'TRACE') lines.push('Content-Length: 0');
  if (isOld) lines.push('Connection: keep-alive');
  else if (stores && random.once(20)) lines.push('Expect: 100-continue');
  while (random.once(4)) lines.push(random.pick(FINE_LINES));
  lines.sort(() => random.below(3) - 1);
  const target =
    path.startsWith('/') && random.once(15)
      ? `http://${random.pick(['plants', 'x:80', 'PLANTS'])}${path}`
      : path;
  const written = lines.map((line) => {
    const [name = '', ...value] = line.split(':');
    if (line.includes('\r') || random.once(2)) return line;
    const text = value.join(':').trim();
    const cased = random.pick([name, name.toLowerCase(), name.toUpperCase()]);
    return `${cased}:${random.pick(['', ' ', '\t', '  \t'])}${text}${random.pick(line.endsWith('hunked') ? ['', ' '] : ['', ' ', '\t'])}`;
  });
  const before = random.once(15) ? '\r\n'.repeat(random.between(1, 3)) : '';
  const head = `${before}${[`${method} ${target} HTTP/${isOld ? '1.0' : '1.1'}`, ...written].join('\r\n')}\r\n\r\n`;
  return Buffer.from(head + (isChunked ? inChunks(random, body) : (body ?? '')), 'latin1');
}

function inChunks(random: Random, body: string): string {
  let text = '';
  for (let start = 0; start < body.length;) {
    const piece = body.slice(start, start + random.between(1, random.once(3) ? 3 : 60));
    start += piece.length;
    const size = piece.length.toString(16);
    text += `${random.pick(['', '', '0', '0000'])}${random.once(2) ? size : size.toUpperCase()}${random.pick(EXTENSIONS)}\r\n${piece}\r\n`;
  }
  return `${text}${random.pick(['0', '00', '0;last'])}\r\n${random.once(10) ? 'X-Trailer: x\r\n' : ''}\r\n`;
}

const EXTENSIONS = [
  '',
  '',
  '',
  '',
  ...items(`
  ;a  ;a=b  ;a="b c"  ;a;b=1
`),
];
