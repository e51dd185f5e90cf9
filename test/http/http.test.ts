import { describe, expect, test, vi } from 'vitest';
import { generateSecret } from '../../src/auth/access-tokens.service.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { startService, TOKEN } from '../support/service.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The head of a create as it goes over the wire, with more headers. */
function createHead(...headers: string[]): string {
  return [
    'POST /plants HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${TOKEN}`,
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n');
}

describe('every answer', () => {
  test.for(['/health/live', '/plants', '/nowhere', '/docs', '/openapi.json'])(
    'to %s names its request',
    async (path) => {
      const service = await startService();

      const given = await service.request(path, { headers: { 'X-Request-Id': 'trace-1:a/b' } });
      const made = await service.request(path);
      expect(given.headers.get('x-request-id')).toBe('trace-1:a/b');
      expect(made.headers.get('x-request-id')).toMatch(UUID);
    },
  );

  test.for([
    ['a quote', 'a"b'],
    ['129 characters', 'x'.repeat(129)],
    ['a token of the service', generateSecret()],
    ['a token in it', `order-1/${generateSecret()}`],
    ['a JWT', 'eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl'],
  ])('has an id of its own where that of the request has %s', async ([, id]) => {
    const service = await startService();

    const answer = await service.request('/plants', { headers: { 'X-Request-Id': id } });

    expect(answer.headers.get('x-request-id')).toMatch(UUID);
    await vi.waitUntil(() => service.log.find((entry) => entry.includes('request answered')));
    expect(service.log.join('')).not.toContain(id);
  });

  test.for(['/health/live', '/plants', '/nowhere', '/openapi.json'])(
    'to %s has the headers of an API',
    async (path) => {
      const service = await startService();

      const { headers } = await service.request(path);

      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      for (const unwanted of ['x-powered-by', 'etag', 'strict-transport-security', 'server']) {
        expect(headers.has(unwanted), unwanted).toBe(false);
      }
    },
  );
});

describe('a request', () => {
  test('leaves one line in the log, with its id', async () => {
    const service = await startService();

    await service.create({ id: 1, name: 'Aloe' }, { 'X-Request-Id': 'seen' });

    const line = await vi.waitUntil(() => service.log.find((entry) => entry.includes('request answered')));
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      requestId: 'seen',
      method: 'POST',
      path: '/plants',
      status: 200,
      durationMs: expect.any(Number),
    });
  });

  test.for([
    ['/plants/pst_secret', '/plants/…'],
    ['/plants/7?token=secret', '/plants/7'],
    ['/plants/%73ecret', '/plants/…'],
    ['/plants/secret%ff', '/plants/…'],
    ['/plants/secret%', '/plants/…'],
    ['/nowhere/secret', '/…/…'],
    ['http://user:secret@host/plants', '/plants'],
    ['http://user:secret@host/nowhere', '/…'],
    ['//user:secret@host/docs', '//…/docs'],
  ] as const)('for %s is in the log as one for %s', async ([target, path]) => {
    const service = await startService({ LOG_LEVEL: 'trace' });
    const head = [
      `GET ${target} HTTP/1.1`,
      'Host: host',
      `Authorization: Bearer ${TOKEN}`,
      'Connection: close',
    ];

    const { ended } = await sendRaw(service.port, `${head.join('\r\n')}\r\n\r\n`);

    expect(await ended).toMatch(/^HTTP\/1\.1 [24]/);
    const line = await vi.waitUntil(() => service.log.find((entry) => entry.includes('request answered')));
    expect(JSON.parse(line)).toMatchObject({ path });
    expect(service.log.join('')).not.toMatch(/secret|%73/);
  });

  test('without a Host is answered 400 with an Error, except in HTTP/1.0', async () => {
    const service = await startService();

    const without = await sendRaw(service.port, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n');
    const old = await sendRaw(service.port, 'GET /health/live HTTP/1.0\r\n\r\n');

    expect(await without.ended).toMatch(/^HTTP\/1\.1 400 [^]*X-Request-Id[^]*"error":40003/);
    expect(await old.ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.for(['a b', 'c@d', 'a/b', '[::1', 'a:b', 'a,b', 'ä'])(
    'with the Host %s is answered 400 with an Error',
    async (host) => {
      const service = await startService();

      const { ended } = await sendRaw(
        service.port,
        `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );

      expect(await ended).toMatch(/^HTTP\/1\.1 400 [^]*"error":40003/);
    },
  );

  test.for(['', 'plants', 'plants.example.org:80', '[::1]:3000', '127.0.0.1', 'a%20b'])(
    'with the Host "%s" is served',
    async (host) => {
      const service = await startService();

      const { ended } = await sendRaw(
        service.port,
        `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );

      expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  test.for([
    ['two Hosts', ['HOST: a']],
    ['a good token and a bad one', [`Authorization: Bearer ${TOKEN}`, 'authorization: Bearer other']],
    ['a token twice', [`Authorization: Bearer ${TOKEN}`, `Authorization: Bearer ${TOKEN}`]],
  ] as const)('with %s is answered 400 with an Error', async ([, headers]) => {
    const service = await startService();
    const head = ['GET /plants/1 HTTP/1.1', 'Host: a', ...headers, 'Connection: close'];

    const { ended } = await sendRaw(service.port, `${head.join('\r\n')}\r\n\r\n`);

    expect(await ended).toMatch(/^HTTP\/1\.1 400 [^]*"error":40003/);
  });

  test.for(['CONNECT plants:80', 'TRACE /plants', 'PROPFIND /plants', 'PROPFIND /nowhere'])(
    'of a method that the service does not implement is answered 501: %s',
    async (start) => {
      const service = await startService();

      const { ended } = await sendRaw(
        service.port,
        `${start} HTTP/1.1\r\nHost: plants\r\nConnection: close\r\n\r\n`,
      );

      expect(await ended).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n[^]*Date: [^]*"error":50100/);
    },
  );

  test('for the options of the service as a whole is answered with every method that it implements', async () => {
    const service = await startService();

    const { ended } = await sendRaw(
      service.port,
      'OPTIONS * HTTP/1.1\r\nHost: plants\r\nConnection: close\r\n\r\n',
    );

    expect(await ended).toMatch(
      /^HTTP\/1\.1 204 [^]*\r\nAllow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\n/,
    );
  });

  test.for([
    ['GET http:// HTTP/1.1', 400],
    ['GET http://[ HTTP/1.1', 400],
    ['GET http://a@b:c/health/live HTTP/1.1', 400],
    ['GET ftp://plants/health/live HTTP/1.1', 400],
    ['GET * HTTP/1.1', 400],
    ['GET /health/live HTTP/2.0', 400],
    ['GET /health/live HTTP/0.9', 400],
    ['GET http://name:secret@plants:80/health/live HTTP/1.1', 200],
    ['GET HTTP://plants?x HTTP/1.1', 404],
  ] as const)('that begins with %s is answered %i', async ([start, status]) => {
    const service = await startService();

    const { ended } = await sendRaw(service.port, `${start}\r\nHost: plants\r\nConnection: close\r\n\r\n`);

    expect(await ended).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} [^]*X-Request-Id: [^]*\\{"(status|error)"`),
    );
    expect(service.log.join('')).not.toContain('secret');
  });

  test('for another protocol is answered as if it were the last one, and nothing behind it is done', async () => {
    const service = await startService();
    const upgrade =
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const body =
      createHead('Content-Length: 22').replace('POST /plants', 'PUT /plants/6') + '{"id":1,"name":"Aloe"}';

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
    const put = `${createHead('Content-Length: 15').replace('POST /plants', 'PUT /plants/1')}{"name":"Aloe"}`;

    const { socket, ended } = await sendRaw(service.port, put);
    socket.end();

    expect(await ended).toMatch(/^HTTP\/1\.1 201 Created/);
    expect(await service.plants()).toHaveLength(1);
  });

  test('before a tunnel is answered, and ends the connection', async () => {
    const service = await startService();
    const put = `${createHead('Content-Length: 15').replace('POST /plants', 'PUT /plants/1')}{"name":"Aloe"}`;

    const { ended } = await sendRaw(service.port, `${put}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);

    expect((await ended).match(/^HTTP\/1\.1 .*/gm)).toEqual(['HTTP/1.1 201 Created']);
  });

  test('that is answered before the tunnel behind it is read leaves no connection behind', async () => {
    const service = await startService();

    const options = 'OPTIONS /plants HTTP/1.1\r\nHost: plants\r\n\r\n';
    const connection = await sendRaw(service.port, options);
    // The first request of a connection waits a moment for other connections.
    await vi.waitUntil(() => connection.received() !== '');

    connection.socket.write(`${options}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);

    expect((await connection.ended).match(/^HTTP\/1\.1 .*/gm)).toEqual([
      'HTTP/1.1 204 No Content',
      'HTTP/1.1 204 No Content',
    ]);
  });

  test('that is followed by what is no request is answered as if it were the last one', async () => {
    const service = await startService();
    const body = '{"id":1,"name":"Aloe"}';

    const { ended } = await sendRaw(
      service.port,
      `${createHead(`Content-Length: ${body.length}`)}${body}NONSENSE\r\n\r\n`,
    );

    expect(await ended).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{.*"name":"Aloe".*\}$/);
    expect(await service.plants()).toHaveLength(1);
  });

  test('whose body breaks the rules of HTTP is answered 400 under its own id', async () => {
    const service = await startService();
    const head = createHead('Transfer-Encoding: chunked', 'X-Request-Id: broken');

    const { ended } = await sendRaw(service.port, `${head}no length\r\n`);

    expect(await ended).toMatch(/^HTTP\/1\.1 400 [^]*X-Request-Id: broken\r\n[^]*"error":40003/);
    const line = await vi.waitUntil(() => service.log.find((entry) => entry.includes('"path":"/plants"')));
    expect(JSON.parse(line)).toMatchObject({ requestId: 'broken', status: 400 });
  });

  test('that is refused while its body is still coming is cut off soon after the answer', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '10000' });
    const head = createHead('Content-Length: 1000000').replace(TOKEN, 'nobody');

    const { socket, ended } = await sendRaw(service.port, head);
    const sending = setInterval(() => socket.write('x'.repeat(100)), 10);
    const received = await ended;
    clearInterval(sending);

    expect(received).toMatch(/^HTTP\/1\.1 401 [^]*"error":40101[^{}]*\}$/);
  });

  test('in another transfer coding than chunked is refused', async () => {
    const service = await startService();

    const { ended } = await sendRaw(
      service.port,
      `${createHead('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
    );
    await vi.waitUntil(() => service.log.some((line) => line.includes('"status":415')));

    service.app.getHttpServer().closeAllConnections();
    expect(await ended).toContain('"error":41500');
  });

  test('that is not HTTP is answered 400 with an Error', async () => {
    const service = await startService();

    const { ended } = await sendRaw(service.port, 'NONSENSE\r\n\r\n');

    const answer = await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nX-Request-Id: \S+\r\n/);
    expect(answer).toMatch(/\r\nDate: .+ GMT\r\n/);
    expect(answer).toMatch(/\r\n\r\n\{"error":40003,"message":"[^"]+"\}$/);
  });

  test.for([
    ['headers that are too long', 431, `X-Long: ${'x'.repeat(20_000)}`],
    ['101 headers', 431, ['Connection: close', ...Array.from({ length: 99 }, () => 'a: b')].join('\r\n')],
    ['1,000 headers', 431, ['Connection: close', ...Array.from({ length: 998 }, () => 'a: b')].join('\r\n')],
    ['100 headers', 401, ['Connection: close', ...Array.from({ length: 98 }, () => 'a: b')].join('\r\n')],
  ] as const)('with %s is answered %i', async ([, status, headers]) => {
    const service = await startService();

    const { ended } = await sendRaw(service.port, `GET /plants HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);

    expect(await ended).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*"error":${status}00`));
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
    const { socket } = await sendRaw(
      service.port,
      createHead('Content-Length: 24') + '{"id":1,"name":"Aloe"}',
    );

    socket.destroy();

    await vi.waitUntil(() => service.log.some((line) => line.includes('"path":"/plants"')));
    expect(service.log.join('')).not.toContain('"level":"error"');
    expect(await service.plants()).toEqual([]);
  });

  test('that asks before it sends its body is told to go on only when it may', async () => {
    const service = await startService();
    const body = '{"id":1,"name":"Aloe"}';
    const expecting = (length: number) => createHead('Expect: 100-continue', `Content-Length: ${length}`);

    const stranger = await sendRaw(service.port, expecting(22).replace(TOKEN, 'x'));
    const giant = await sendRaw(service.port, expecting(131_073));
    const welcome = await sendRaw(service.port, expecting(body.length));
    await vi.waitUntil(() => welcome.received().startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    welcome.socket.write(body);

    await vi.waitUntil(() => stranger.received().startsWith('HTTP/1.1 401'));
    await vi.waitUntil(() => giant.received().startsWith('HTTP/1.1 413'));
    await vi.waitUntil(() => welcome.received().includes('"name":"Aloe"'));
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

  test.for([
    ['GET', '/plants'],
    ['GET', '/plants/1'],
    ['PUT', '/plants/1'],
    ['PATCH', '/plants/1'],
    ['DELETE', '/plants/1'],
  ] as const)('is answered 500 with 50000 elsewhere: %s %s', async ([method, path]) => {
    const service = await startService();
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');
    const takesBody = method === 'PUT' || method === 'PATCH';

    const answer = await service.send(method, path, takesBody ? { body: { name: 'Aloe' } } : {});

    expect(answer).toMatchObject({
      status: 500,
      text: '{"error":50000,"message":"An unexpected error happened."}',
    });
  });

  test('turns ready to 503, but not live, when the database is unusable', async () => {
    const service = await startService();
    expect(await service.request('/health/ready')).toMatchObject({ status: 200, body: { status: 'ok' } });
    await service.database.execute('ALTER TABLE migrations RENAME TO elsewhere');

    expect(await service.request('/health/ready')).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(await service.request('/health/live')).toMatchObject({ status: 200 });
  });
});
