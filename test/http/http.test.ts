import { describe, expect, test, vi } from 'vitest';
import { generateSecret } from '../../src/kernel/auth/access-tokens.service.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { startService, TOKEN } from '../support/service.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BODY = '{"id":1,"name":"Aloe"}';

function head(start: string, ...headers: string[]): string {
  return [start, ...headers, '\r\n'].join('\r\n');
}

/** The head of a create as it goes over the wire, with more headers. */
function createHead(...headers: string[]): string {
  return head(
    'POST /plants HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${TOKEN}`,
    'Content-Type: application/json',
    ...headers,
  );
}

/** The head of a probe from a client that sends nothing else. */
function last(start: string, ...headers: string[]): string {
  return head(start, 'Connection: close', ...headers);
}

const LIVE = 'GET /health/live HTTP/1.1';

/** Tokens that a client puts into its request id by mistake. */
const TOKENS = [generateSecret(), `order-1/${generateSecret()}`, 'eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl'];

/** A request, maybe of no valid HTTP, and the only answer to it. */
type Exchange = readonly [request: string, answer: RegExp];

const EXCHANGES: readonly Exchange[] = [
  [
    'NONSENSE\r\n\r\n',
    /^HTTP\/1\.1 400 Bad Request\r\n(?=[^]*X-Request-Id: \S+\r\n)[^]*Date: .+ GMT\r\n[^]*\r\n\r\n\{"error":40003,"message":"[^"]+"\}$/,
  ],
  [
    last('patch /plants/1 HTTP/1.1', 'Host: a'),
    /^HTTP\/1\.1 400 [^]*"error":40003,"message":"The method is unknown. Methods are upper-case/,
  ],
  [last(LIVE), /^HTTP\/1\.1 400 [^]*X-Request-Id[^]*"error":40003/],
  [head('GET /health/live HTTP/1.0'), /^HTTP\/1\.1 200 /],
  ...['TRACE', 'PROPFIND'].map((method): Exchange => [
    last(`${method} /plants HTTP/1.1`, 'Host: plants'),
    /^HTTP\/1\.1 405 [^]*\r\nAllow: GET, HEAD, OPTIONS, POST\r\n[^]*"error":40500/,
  ]),
  [last('PROPFIND /nowhere HTTP/1.1', 'Host: plants'), /^HTTP\/1\.1 404 [^]*"error":40400/],
  [last('CONNECT plants:80 HTTP/1.1', 'Host: plants'), /^$/],
  ...[
    'GET http:// HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET ftp://plants/health/live HTTP/1.1',
    'GET * HTTP/1.1',
    'GET /health/live HTTP/2.0',
    'GET /health/live HTTP/0.9',
  ].map((start): Exchange => [last(start, 'Host: plants'), /^HTTP\/1\.1 400 [^]*X-Request-Id: /]),
  [
    last('GET http://name:secret@plants:80/health/live HTTP/1.1', 'Host: plants'),
    /^HTTP\/1\.1 200 [^]*"status"/,
  ],
  [last('GET HTTP://plants?x HTTP/1.1', 'Host: plants'), /^HTTP\/1\.1 404 [^]*"error"/],
  [last('GET /plants HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(20_000)}`), /^HTTP\/1\.1 431 [^]*43100/],
  ...[
    [100, 401],
    [101, 431],
    [1000, 431],
  ].map(([count = 0, status]): Exchange => [
    last('GET /plants HTTP/1.1', 'Host: x', ...Array.from({ length: count - 2 }, () => 'a: b')),
    new RegExp(`^HTTP/1\\.1 ${status} [^]*"error":${status}00`),
  ]),
  [
    `${createHead('Transfer-Encoding: chunked', 'X-Request-Id: broken')}no length\r\n`,
    /^HTTP\/1\.1 400 [^]*X-Request-Id: broken\r\n[^]*"error":40003/,
  ],
  [`${createHead('Transfer-Encoding: gzip, chunked', 'Connection: close')}0\r\n\r\n`, /"error":41500/],
];

test.for([
  ['/tokens', { name: 'greenhouse', scopes: ['plants:read'] }],
  ['/webhooks', { url: 'https://receiver.example.org/', resource: 'plants' }],
] as const)('POST %s returns the address of what it has created in Location', async ([path, body]) => {
  const service = await startService({ WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-test' });

  const { status, headers, body: made } = await service.send('POST', path, { body });

  expect(status).toBe(201);
  // A proxy may serve it all under a path of its own.
  const { pathname } = new URL(headers.get('location') ?? '', `http://proxy.example.org${path}`);
  const { secret: _, ...shown } = made as Record<string, unknown>;
  expect((await service.send('GET', pathname)).body).toEqual(shown);
});

describe('every answer', () => {
  test('names its request', async () => {
    const service = await startService();
    const idOf = async (path: string, id?: string) => {
      const answer = await service.request(path, id === undefined ? {} : { headers: { 'X-Request-Id': id } });
      return answer.headers.get('x-request-id');
    };

    for (const path of ['/health/live', '/plants', '/nowhere', '/docs', '/openapi.json']) {
      const made = [await idOf(path), await idOf(path, 'a"b'), await idOf(path, 'x'.repeat(129))];
      for (const token of TOKENS) made.push(await idOf(path, token));

      expect(await idOf(path, 'trace-1:a/b')).toBe('trace-1:a/b');
      for (const id of made) expect(id).toMatch(UUID);
      expect(new Set(made).size).toBe(made.length);
    }
    for (const token of TOKENS) expect(service.log.join('')).not.toContain(token);
  });

  test('has the headers of an API', async () => {
    const service = await startService();

    for (const path of ['/health/live', '/plants', '/nowhere', '/openapi.json']) {
      const { headers } = await service.request(path);

      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      for (const unwanted of ['x-powered-by', 'etag', 'strict-transport-security', 'server']) {
        expect(headers.has(unwanted), unwanted).toBe(false);
      }
    }
  });

  test('to a raw message is one of HTTP or an Error', async () => {
    const service = await startService();

    for (const [request, answer] of EXCHANGES) {
      const { ended } = await sendRaw(service.port, request);

      expect(await ended, request).toMatch(answer);
    }
    expect(service.log.join('')).not.toContain('secret');
    expect(await service.plants()).toEqual([]);
  });
});

describe('a request', () => {
  test('for another protocol is answered as if it were the last one, and nothing behind it is done', async () => {
    const service = await startService();
    const upgrade = head(LIVE, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket');
    const body = createHead('Content-Length: 22').replace('POST /plants', 'PUT /plants/6') + BODY;

    const { socket, ended } = await sendRaw(
      service.port,
      upgrade + createHead(`Content-Length: ${body.length}`),
    );
    socket.write(body);

    expect(await ended).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close\r\n[^]*\{"status":"ok"\}$/);
    expect(await service.plants()).toEqual([]);
  });

  test('whose client has ended its side of the connection is answered', async () => {
    const service = await startService();

    const { socket, ended } = await sendRaw(service.port, createHead('Content-Length: 22') + BODY);
    socket.end();

    expect(await ended).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await service.plants()).toHaveLength(1);
  });

  test('that is refused while its body is still coming is cut off soon after the answer', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '10000' });
    const refused = createHead('Content-Length: 1000000').replace(TOKEN, 'nobody');

    const { socket, ended } = await sendRaw(service.port, refused);
    const sending = setInterval(() => socket.write('x'.repeat(100)), 10);
    const received = await ended;
    clearInterval(sending);

    expect(received).toMatch(/^HTTP\/1\.1 401 [^]*"error":40101[^{}]*\}$/);
  });

  test.for([
    ['headers', 'POST /plants HTTP/1.1\r\nHost: x\r\n'],
    ['body', createHead('Content-Length: 100') + '{"id":1,'],
  ] as const)('that never ends its %s is answered 408 with an Error', async ([, text]) => {
    const service = await startService({}, undefined, { timeouts: { headers: 200, request: 300 } });

    const { ended } = await sendRaw(service.port, text);

    // One answer, and no other after it.
    expect(await ended).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\n(?:.+\r\n)+\r\n\{"error":40800,[^{}]+\}$/,
    );
    expect(await service.plants()).toEqual([]);
  });

  test('whose client goes away in the middle of the body stores nothing and is no failure of the service', async () => {
    const service = await startService();
    const { socket } = await sendRaw(service.port, createHead('Content-Length: 24') + BODY);

    socket.destroy();

    await vi.waitUntil(() => service.log.some((line) => line.includes('"path":"/plants"')));
    expect(service.log.join('')).not.toContain('"level":"error"');
    expect(await service.plants()).toEqual([]);
  });
});

describe('a failure that the client cannot mend', () => {
  test('is answered 400 with 50000 on create, with its cause in the log and nothing of it in the answer', async () => {
    const service = await startService();
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');

    const answer = await service.create({ id: 1, name: 'a-name' });

    expect(answer).toMatchObject({
      status: 400,
      text: '{"error":50000,"message":"An unexpected error happened."}',
    });
    const line = service.log.find((entry) => entry.includes('"level":"error"'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      requestId: answer.headers.get('x-request-id'),
      err: { message: expect.stringMatching(/no such table|does not exist/) },
    });
    expect(line).not.toContain('a-name');
  });

  test('is answered 500 with 50000 elsewhere', async () => {
    const service = await startService();
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');

    for (const operation of [
      'GET /plants',
      'GET /plants/1',
      'PUT /plants/1',
      'PATCH /plants/1',
      'DELETE /plants/1',
    ]) {
      const [method = '', path = ''] = operation.split(' ');
      const body = method.startsWith('P') ? { name: 'Aloe' } : undefined;

      expect(await service.send(method, path, { body }), operation).toMatchObject({
        status: 500,
        text: '{"error":50000,"message":"An unexpected error happened."}',
      });
    }
  });

  test('turns ready to 503, but not live, when the database is unusable', async () => {
    const service = await startService();
    expect(await service.request('/health/ready')).toMatchObject({ status: 200, body: { status: 'ok' } });
    await service.database.execute('ALTER TABLE migrations RENAME TO elsewhere');

    expect(await service.request('/health/ready')).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(await service.request('/health/live')).toMatchObject({ status: 200 });
  });
});
