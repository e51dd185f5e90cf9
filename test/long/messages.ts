import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { PlantContent } from '../model/plant-reference.js';
import { Random } from '../model/random.js';
import { headOf, RawConnection } from '../support/network/raw-connection.js';
import { TOKEN } from '../support/service.js';
import { type Answer, problemOf, type Run } from './run.js';

/** Connections that are open at the same time. */
const CONNECTIONS = 128;

/** How long the service may take to close a connection. */
const CLOSE_TIMEOUT_MS = 30_000;

const HOST = 'Host: plants';
const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
const JSON_TYPE = 'Content-Type: application/json';
const NDJSON = 'application/x-ndjson';
const CHUNKED = 'Transfer-Encoding: chunked';
const CLOSE = 'Connection: close';
const CREATE = 'POST /plants HTTP/1.1';

/** What is sent on one connection, and what may come back. */
interface Message {
  /** What is unusual about it. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The statuses of the first answer. */
  readonly statuses: (status: number) => boolean;
  /** Answers at most: those behind the first one are for a second request. */
  readonly answers: number;
  readonly isHead?: boolean;
  /** Whether the client goes away without an answer. */
  readonly leaves?: boolean;
}

/** The plant of an input, which no other input uses. The distance is a prime, so a changed digit makes no id into another one. */
interface OwnPlant {
  readonly id: bigint;
  readonly content: PlantContent;
}

function plantOf(index: number): OwnPlant {
  return { id: 5n * 10n ** 15n + BigInt(index) * 1_000_003n, content: { name: `message ${index}` } };
}

/** Sends raw HTTP messages, each on a connection of its own. */
export async function sendMessages(
  run: Run,
  plants: Map<bigint, PlantContent>,
  count: number,
): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) {
      const index = next++;
      const random = new Random(run.seed, index);
      const plant = plantOf(index);
      const make = random.pick([valid, valid, valid, broken, broken, mutated, mutated, aborted]);
      const message = make(random, plant);
      const { received, isReset } = await play(run.port, random, message);
      if (isReset && (message.statuses(200) || message.statuses(201))) {
        // The answer may be lost, but not the plant.
        const { status } = await run.send('GET', `/plants/${plant.id}`);
        if (status === 200) plants.set(plant.id, plant.content);
      }
      if (isReset || message.leaves) continue;
      try {
        const answers = readAnswers(received, message.isHead === true);
        for (const answer of answers) {
          run.count(answer);
          const id = storedId(answer, plant);
          if (id !== undefined) plants.set(id, plant.content);
        }
        const [first] = answers;
        const isRight = first !== undefined && message.statuses(first.status);
        const problem = answers.map(problemOf).find((found) => found !== undefined);
        if (!isRight || problem !== undefined || answers.length > message.answers)
          throw new Error(`${problem ?? ''} ${received || 'no answer'}`);
      } catch (error) {
        run.report(`${message.name}: ${String(error)}`, message.bytes);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

/** Sends a message in pieces; returns what came back until the connection was closed. A reset while pieces are sent may take answers away. */
async function play(
  port: number,
  random: Random,
  { bytes, leaves }: Message,
): Promise<{ received: string; isReset: boolean }> {
  const connection = new RawConnection(connect(port, '127.0.0.1').setNoDelay(), 'latin1');
  const { socket, ended } = connection;
  let isOpen = false;
  socket.setTimeout(CLOSE_TIMEOUT_MS, () => {
    isOpen = true;
    socket.destroy();
  });
  const pieces = random.once(2) ? 1 : random.between(2, 5);
  const cuts = Array.from({ length: pieces - 1 }, () => random.below(bytes.length)).toSorted((a, b) => a - b);
  for (const [place, cut] of [0, ...cuts].entries()) {
    if (place > 0) await turn();
    socket.write(bytes.subarray(cut, cuts[place] ?? bytes.length));
  }
  if (leaves) socket.destroySoon();
  const received = await ended;
  if (isOpen) throw new Error(`The connection is still open after ${received || 'nothing'}`);
  return { received, isReset: connection.isReset };
}

/** The answers in what came back. @throws Error when that is no HTTP, or not whole. */
function readAnswers(received: string, isHead: boolean): Answer[] {
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((text) => text !== '' && !text.startsWith('HTTP/1.1 100 '))
    .map((text) => {
      const [, status, lines = '', body = ''] = ANSWER.exec(text) ?? [];
      const headers: Record<string, string> = {};
      for (const [, name = '', value = ''] of lines.matchAll(/([^:\r\n]+):(.*)/g))
        headers[name.toLowerCase()] = value.trim();
      const { 'content-length': length, 'transfer-encoding': coding } = headers;
      const isWhole =
        length === undefined
          ? coding !== 'chunked' || body.endsWith('0\r\n\r\n')
          : body.length === Number(length);
      if (status === undefined || !(isWhole || isHead)) throw new Error(`${text} is no answer`);
      return { status: Number(status), headers, body };
    });
}

/** The status line, the lines of the header, and the body. */
const ANSWER = /^HTTP\/1\.1 (\d{3}) [\t -~]*((?:\r\n[!-9;-~]+:[\t -~\x80-\xff]*)*)\r\n\r\n([^]*)$/;

/** The id under which an answer says that the plant is stored; that of a create does not name it. */
function storedId({ status, body }: Answer, { id, content }: OwnPlant): bigint | undefined {
  if (body.includes('{"line":1,"status":200}')) return id;
  if ((status !== 200 && status !== 201) || !body.includes(JSON.stringify(content.name))) return undefined;
  return BigInt(/^\{"id":(-?\d+),/.exec(body)?.[1] ?? id);
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
  readonly body?: string;
  readonly type?: string;
  /** A header line that is left out. */
  readonly without?: string;
}

/** A request in one of the many forms that HTTP allows, maybe with a second one behind it. */
function valid(random: Random, { id, content }: OwnPlant): Message {
  const body = JSON.stringify(content);
  const withId = `{"id":${id},${body.slice(1)}`;
  const path = `/plants/${id}`;
  const request = random.pick<Request>([
    { method: 'POST', path: '/plants', body: withId, statuses: [200] },
    { method: 'POST', path: '/plants', body: withId, statuses: [200] },
    { method: 'PUT', path, body, statuses: [201] },
    { method: 'PUT', path, body, statuses: [201] },
    { method: 'POST', path: '/plants/import', body: `${withId}\n`, statuses: [200], type: NDJSON },
    { method: 'PATCH', path, body, statuses: [404] },
    { method: 'GET', path, statuses: [404] },
    { method: 'HEAD', path, statuses: [404] },
    { method: 'DELETE', path, statuses: [404] },
    { method: 'GET', path: '/plants?limit=2', statuses: [200] },
    { method: 'GET', path: '/health/ready', statuses: [200] },
    { method: 'GET', path: '/plants/export', statuses: [200, 503] },
    { method: 'GET', path: '/plants/count', statuses: [200, 503] },
    { method: 'OPTIONS', path: '/plants', statuses: [204] },
    { method: 'OPTIONS', path: '*', statuses: [200, 204, 400, 404] },
    { method: 'GET', path: '/nowhere?x=%zz', statuses: [404] },
    { method: random.pick(METHODS), path: '/plants', statuses: [501] },
    { method: random.pick(METHODS), path, body, statuses: [501] },
    { method: 'POST', path: '/plants', body: withId, statuses: [401], without: AUTHORIZATION },
    { method: 'POST', path: '/plants', body: withId, statuses: [400], without: HOST },
    { method: 'POST', path: '/plants', body: withId, statuses: [415], type: 'text/plain' },
    { method: 'POST', path: '/plants', body: withId.slice(1), statuses: [400] },
    { method: 'POST', path: '/plants', statuses: [400] },
    { method: 'GET', path, body, statuses: [404] },
  ]);
  const hasNext = random.once(3);
  return {
    name: `${request.method} ${request.path}`,
    bytes: Buffer.from(write(random, request, hasNext ? [] : [CLOSE]) + (hasNext ? NEXT : ''), 'latin1'),
    statuses: (status) => request.statuses.includes(status),
    answers: hasNext ? 2 : 1,
    isHead: request.method === 'HEAD',
  };
}

function write(random: Random, request: Request, own: readonly string[]): string {
  const { method, path, body, type = 'application/json', without } = request;
  const isChunked = body !== undefined && random.once(2);
  const lines = [
    ...own,
    random.once(4) ? `Host: ${random.pick(GOOD_HOSTS)}` : HOST,
    AUTHORIZATION,
    ...(body === undefined
      ? []
      : [`Content-Type: ${type}`, isChunked ? CHUNKED : `Content-Length: ${body.length}`]),
  ].filter((line) => line !== without && !(without === HOST && line.startsWith('Host:')));
  while (random.once(3)) lines.push(random.pick(FINE_LINES));
  const written = lines
    .toSorted(() => random.below(3) - 1)
    .map((line) => {
      const [, name = '', value = ''] = /^([^:]+):[\t ]*(.*)$/s.exec(line) ?? [];
      return `${random.pick([name, name.toLowerCase(), name.toUpperCase()])}:${random.pick(['', ' ', '\t', '  \t'])}${value}`;
    });
  const target =
    path.startsWith('/') && random.once(15)
      ? `http://${random.pick(['plants', 'x:80', 'PLANTS'])}${path}`
      : path;
  const head = headOf(`${method} ${target} HTTP/1.1`, written);
  return `${random.once(15) ? '\r\n' : ''}${head}${isChunked ? inChunks(random, body) : (body ?? '')}`;
}

function inChunks(random: Random, body: string): string {
  let chunks = '';
  for (let start = 0; start < body.length;) {
    const piece = body.slice(start, start + random.between(1, 60));
    start += piece.length;
    const extension = random.pick(['', '', ';a', ';a=b', ';a="b c"', ';a;b=1']);
    chunks += `${random.pick(['', '0'])}${piece.length.toString(16)}${extension}\r\n${piece}\r\n`;
  }
  return `${chunks}${random.pick(['0', '00', '0;last'])}\r\n${random.once(10) ? 'X-Trailer: x\r\n' : ''}\r\n`;
}

/** A create or a replacement whose head is a little changed: it is done as the answer says, or not at all. */
function mutated(random: Random, { id, content }: OwnPlant): Message {
  const isPut = random.once(3);
  const body = JSON.stringify(isPut ? content : { id: JSON.rawJSON(String(id)), ...content });
  const lines = [HOST, AUTHORIZATION, JSON_TYPE, `Content-Length: ${body.length}`, CLOSE];
  if (random.once(2)) lines.splice(random.below(lines.length), random.below(2), random.pick(EXTRA_LINES));
  const head = Buffer.from(headOf(isPut ? `PUT /plants/${id} HTTP/1.1` : CREATE, lines), 'latin1');
  return {
    name: 'a changed head',
    bytes: Buffer.concat([random.once(3) ? head : random.mutated(head), Buffer.from(body)]),
    statuses: () => true,
    answers: Number.POSITIVE_INFINITY,
  };
}

/** A request whose client goes away in the middle: it is not done. */
function aborted(random: Random, { id, content }: OwnPlant): Message {
  const request = { method: 'PUT', path: `/plants/${id}`, body: JSON.stringify(content), statuses: [] };
  const whole = Buffer.from(write(random, request, []), 'latin1');
  const bytes = whole.subarray(0, random.between(1, whole.length - 1));
  return { name: 'aborted', bytes, statuses: () => false, answers: 0, leaves: true };
}

/** A message that has to be refused, maybe with a request inside for whoever reads it in another way. */
function broken(random: Random, { id, content }: OwnPlant): Message {
  const body = JSON.stringify({ id: JSON.rawJSON(String(id)), ...content });
  const length = `Content-Length: ${body.length}`;
  const all = [HOST, AUTHORIZATION, JSON_TYPE];
  const inner = headOf(CREATE, [...all, length]) + body;
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n`;
  const create = (lines: readonly string[], end: string) => headOf(CREATE, [...all, ...lines]) + end;
  const placed = (line: string) => {
    const lines = [...all, length];
    lines.splice(random.between(1, lines.length), 0, line);
    return headOf(CREATE, lines) + body;
  };
  const start = (line: string) => headOf(line, [...all, length]) + body;
  const long = 'x'.repeat(random.between(16_384, 40_000));
  // Where it ends is known of the last six, so a request behind them may be answered.
  const [name, text] = random.pick<() => readonly [name: string, text: string]>([
    () => ['both lengths', create([`Content-Length: ${5 + inner.length}`, CHUNKED], `0\r\n\r\n${inner}`)],
    () => ['both lengths', create([CHUNKED, `Content-Length: ${5 + inner.length}`], `0\r\n\r\n${inner}`)],
    () => ['two lengths', create([`Content-Length: ${inner.length}`, 'Content-Length: 0'], inner)],
    () => ['two lengths', create(['Content-Length: 0', `Content-Length: ${inner.length}`], inner)],
    () => [
      'a wrong length',
      create([`Content-Length: ${random.pick(LENGTHS).replace('N', String(body.length))}`], body),
    ],
    () => ['a wrong coding', create([`Transfer-Encoding: ${random.pick(ENCODINGS)}`], `0\r\n\r\n${inner}`)],
    () => ['wrong chunks', create([CHUNKED], random.pick(CHUNKS).replace('BODY', chunked))],
    () => ['a wrong header', placed(random.pick(WRONG_LINES))],
    () => ['too large headers', placed(`X-Long: ${long}`)],
    () => ['a wrong start line', start(random.pick(START_LINES))],
    () => ['too long a target', headOf(`GET /${long} HTTP/1.1`, all)],
    () => ['no HTTP', random.pick(GARBAGE)],
    () => ['an unknown coding', create(['Transfer-Encoding: x, chunked'], `${chunked}0\r\n\r\n`)],
    () => ['a wrong target', start(`POST ${random.pick(TARGETS)} HTTP/1.1`)],
    () => [
      'an unknown method',
      start(random.pick(['FOO / HTTP/1.1', 'post /plants HTTP/1.1', 'X!#$ / HTTP/1.1'])),
    ],
    () => ['two Hosts', create([HOST, length], body)],
    () => ['a wrong Host', headOf(CREATE, [`Host: ${random.pick(HOSTS)}`, ...all.slice(1), length]) + body],
    () => ['a tunnel', headOf('CONNECT plants:80 HTTP/1.1', ['Host: plants:80'])],
  ])();
  const mayGoOn = /^(an unknown|a wrong target|two Hosts|a wrong Host|a tunnel)/.test(name);
  return {
    name,
    bytes: Buffer.from(text + NEXT, 'latin1'),
    statuses: (status) => status >= 400,
    answers: mayGoOn ? 2 : 1,
  };
}

/** A request behind another one, which may stay unanswered. */
const NEXT = headOf('GET /health/live HTTP/1.1', [HOST, CLOSE]);

/** The items of a text, each on a line of its own or behind two spaces. */
function items(text: string): string[] {
  return text.split(/ {2,}|\n +|\n$/).filter((item) => item !== '');
}

/** Methods that HTTP knows and the service does not. */
const METHODS = ['TRACE', 'PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'M-SEARCH', 'PURGE', 'QUERY', 'LINK'];

const GOOD_HOSTS = ['', 'plants', 'localhost:80', '127.0.0.1', '[::1]:3000', 'EXAMPLE.com.', 'x_y'];

const FINE_LINES = [
  `X-Long: ${'x'.repeat(2_500)}`,
  ...items(`
  X-Empty:  X-Tab:\ta\tb\t  x-obs: \x80\xff  !#$%&'*+-.^_\`|~09Az: x  Accept: */*  Connection: keep-alive
  Connection: x, Keep-Alive  Connection:  TE: trailers  Upgrade: h2c  Range: bytes=0-  Cookie: a
  Cookie: b  Content-Length-X: 5  X-Host: a  __proto__: x  Max-Forwards: 0  Via: 1.0 x  Date: now
  If-Modified-Since: x  Trailer: X-T
`),
];

/** Lines that turn a message into another one. */
const EXTRA_LINES = items(`
  ${CHUNKED}  X: a\r\n b  \tfolded  Content-Length: 0  Content-Length: 1  Content-Length: 40
  Content-Length: 99999  Content-Length:  Transfer-Encoding: identity  Transfer-Encoding:  TE: chunked
  Host:  Host: other  Expect: 100-continue  Connection: Content-Length  Upgrade: h2c\r\nConnection: Upgrade
  X  X : y  : y  X:\x00  X:\x7f  X:\ry  X:\ny  X-Request-Id: a\tb  Content-Encoding: gzip
  Authorization: Basic x  Content-Type: text/plain  If-Match: *  If-None-Match: *
`);
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
  POST /plants\x00 HTTP/1.1  POST\t/plants\tHTTP/1.1  P\x00ST /plants HTTP/1.1  \xe9POST /plants HTTP/1.1
  POST: /plants HTTP/1.1  HTTP/1.1 200 OK  POST /plants ICE/1.0  {}  POST /plants HTTP/2.0  POST /plants HTTP/0.9
`),
];
const TARGETS = items(`
  http://  http://[  http://[::1  http://a@b:c/plants  http://%/plants  http://plants/%  https:plants  foo:bar  plants  *  ?
  \\  //  /\\  //plants  ///  /plants%  /%2Fplants  /plants/%00  /./plants  /plants/..  /\x7f  /plants|  /plants/1^
`);
const CHUNKS = items(`
  zz|BODY  -1|BODY  0x5|BODY  |BODY  1|BODY  BODYx||  FFFFFFFFFFFFFFFFFF|BODY  10000000000000000|BODY
  5|{"id"x|0||  BODY0x||  BODY0|no trailer||  BODY0|X : y||  BODY0|\0||  BODY0;\x01||  BODY0\rx||  BODY|0||
`).map((text) => text.replaceAll('|', '\r\n'));
const HOSTS = items(`
  a b  a/b  a@b  a,b  a b/c@d  http://a  \xff  a#b  a?b  "a"  a:b:c  [::1  a\tb  <a>  a\\b
`);
const GARBAGE = items(`
  \x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03  SSH-2.0-x|  \0\0\0\0  \xff\xfe\xfd  EHLO x|  {"id":1}||
  *1|$4|PING|  \x04\x01\0\x50\x7f\0\0\x01\0  <xml/>||  %|
`).map((text) => text.replaceAll('|', '\r\n'));
