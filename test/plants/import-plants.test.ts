import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { AccessTokensService } from '../../src/auth/access-tokens.service.js';
import { beginImport } from '../support/exchange.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { type Answer, importRequest, type Service, startService, TOKEN } from '../support/service.js';

async function importLines(
  service: Service,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.request('/plants/import', importRequest(body, headers));
}

function line(id: number | string): string {
  return `{"id":${id},"name":"plant ${id}"}\n`;
}

function created(count: number): { line: number; status: number }[] {
  return Array.from({ length: count }, (_, index) => ({ line: index + 1, status: 200 }));
}

describe('POST /plants/import', () => {
  test('answers every line in order, and a line that is refused leaves the others alone', async () => {
    const service = await startService();
    await service.create({ id: 9, name: 'there already' });
    const lines = [
      '{"id":9223372036854775807,"name":"草 \u{1F33F}","tag":""}',
      '{"id":2,"name":null}',
      '',
      '{"id":9223372036854775808,"name":"too large"}',
      'nonsense',
      '[]',
      '{"id":9,"name":"another"}',
      '{"id":-9223372036854775808,"name":"least"}\r',
      '{"id":9223372036854775807,"name":"twice in this request"}',
      `{"id":3,"name":"${'x'.repeat(131_072)}"}`,
      '{"id":9007199254740993,"name":"last","other":1}',
      '{"name":"last","id":9007199254740993}',
      '{"id":9,"name":"there already"}',
      '{"id":9,"name":"there already","tag":""}',
    ];

    const answer = await importLines(service, lines.join('\n'));

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.body).toEqual([
      { line: 1, status: 200 },
      {
        line: 2,
        status: 400,
        error: 40001,
        message: 'The line is not valid: name must be a string of Unicode characters other than U+0000.',
      },
      { line: 4, status: 400, error: 40001, message: expect.stringMatching(/id must be an integer/) },
      { line: 5, status: 400, error: 40000, message: 'The line must be valid JSON.' },
      { line: 6, status: 400, error: 40000, message: 'The line must be a JSON object.' },
      { line: 7, status: 409, error: 40900, message: 'The id 9 belongs to another plant.' },
      { line: 8, status: 200 },
      {
        line: 9,
        status: 409,
        error: 40900,
        message: 'The id 9223372036854775807 belongs to another plant.',
      },
      { line: 10, status: 413, error: 41300, message: 'The line is too long.' },
      { line: 11, status: 200 },
      { line: 12, status: 200 },
      { line: 13, status: 200 },
      { line: 14, status: 409, error: 40900, message: 'The id 9 belongs to another plant.' },
    ]);
    expect(await service.plants()).toEqual([
      { id: -9223372036854775808n, name: 'least', tag: null },
      { id: 9n, name: 'there already', tag: null },
      { id: 9007199254740993n, name: 'last', tag: null },
      { id: 9223372036854775807n, name: '草 \u{1F33F}', tag: '' },
    ]);
  });

  test('may be repeated: what is there already, exactly like this, is answered as stored', async () => {
    const service = await startService();
    await importLines(service, Array.from({ length: 300 }, (_, id) => line(id)).join(''));

    const again = await importLines(service, Array.from({ length: 600 }, (_, id) => line(id)).join(''));

    expect(again.body).toEqual(created(600));
    expect(await service.plants()).toHaveLength(600);
  });

  test('refuses a line that is not UTF-8', async () => {
    const service = await startService();

    const answer = await importLines(service, Buffer.from('{"id":1,"name":"\xff"}\n', 'latin1'));

    expect(answer.body).toMatchObject([{ line: 1, status: 400, error: 40000 }]);
    expect(await service.plants()).toEqual([]);
  });

  test('answers a line while the next one has not been sent', async () => {
    const service = await startService();
    const exchange = beginImport(service);

    exchange.request.write(`${line(1)}${line(2).slice(0, 5)}`);
    const first = await exchange.lines(1);
    const stored = await service.plants();
    exchange.request.end(line(2).slice(5));

    expect(first).toEqual(['{"line":1,"status":200}']);
    expect(stored.map(({ id }) => id)).toEqual([1n]);
    expect(await exchange.body()).toBe('{"line":1,"status":200}\n{"line":2,"status":200}\n');
  });

  test('reads no further while the client does not take the answer, and cuts it when that lasts', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '300' });
    const { request, response } = beginImport(service);

    request.end('x\n'.repeat(400_000));
    (await response).pause();

    await vi.waitUntil(() => service.log.some((entry) => entry.includes('"aborted":true')), {
      timeout: 15_000,
    });
    expect(await service.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 200 });
  });

  test('keeps what it has answered when the client goes away, and is no failure of the service', async () => {
    const service = await startService();
    const exchange = beginImport(service);
    exchange.request.write(Array.from({ length: 1000 }, (_, id) => line(id)).join(''));
    await exchange.lines(1000);
    exchange.request.write('{"id":1000,');

    exchange.request.destroy();

    await vi.waitUntil(() => service.log.some((entry) => entry.includes('"aborted":true')));
    expect(await service.plants()).toHaveLength(1000);
    expect((await importLines(service, line(1000))).body).toEqual(created(1));
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('answers lines that fail unexpectedly 500, and logs their cause once and nothing of them', async () => {
    const service = await startService();
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');

    const answer = await importLines(service, `${line(1)}nonsense\n${line(2)}`, {
      'X-Request-Id': 'broken',
    });

    const message = 'An unexpected error happened.';
    expect(answer.body).toMatchObject([
      { line: 1, status: 500, error: 50000, message },
      { line: 2, status: 400, error: 40000 },
      { line: 3, status: 500, error: 50000, message },
    ]);
    const failures = service.log.filter((entry) => entry.includes('"level":"error"'));
    expect(failures.map((entry) => JSON.parse(entry) as unknown)).toMatchObject([
      { requestId: 'broken' },
      { requestId: 'broken' },
    ]);
    expect(failures.join('')).not.toContain('plant 1');
  });
});

describe('a request to import', () => {
  test.for<[string, string, Record<string, string>, number, number]>([
    ['is JSON', line(1), { 'Content-Type': 'application/json' }, 415, 41500],
    ['has no type', line(1), { 'Content-Type': '' }, 415, 41500],
    ['is in Latin-1', line(1), { 'Content-Type': 'application/x-ndjson;charset=latin1' }, 415, 41500],
    ['is compressed', line(1), { 'Content-Encoding': 'gzip' }, 415, 41500],
    ['has no token', line(1), { Authorization: '' }, 401, 40100],
    ['has a wrong token', line(1), { Authorization: 'Bearer x' }, 401, 40101],
  ])('that %s is refused', async ([, body, headers, status, error]) => {
    const service = await startService();

    const answer = await importLines(service, body, headers);

    expect(answer).toMatchObject({ status, body: { error } });
    if (status === 415 && headers['Content-Encoding'] === undefined) {
      expect(answer.headers.get('accept')).toBe('application/x-ndjson');
    }
    expect(await service.plants()).toEqual([]);
  });

  test.for([
    ['has an empty body', ''],
    ['has no line', '\n\n'],
  ] as const)('that %s is answered nothing', async ([, body]) => {
    const service = await startService();

    expect(await importLines(service, body)).toMatchObject({ status: 200, text: '', body: [] });
  });

  test('that asks before it sends its body is told to go on only when it may', async () => {
    const service = await startService();
    const head = (type: string) =>
      [
        'POST /plants/import HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${TOKEN}`,
        `Content-Type: ${type}`,
        `Content-Length: ${line(1).length}`,
        'Expect: 100-continue',
        '\r\n',
      ].join('\r\n');

    const wrong = await sendRaw(service.port, head('text/plain'));
    const welcome = await sendRaw(service.port, head('application/x-ndjson'));
    await vi.waitUntil(() => welcome.received() === 'HTTP/1.1 100 Continue\r\n\r\n');
    welcome.socket.write(line(1));

    await vi.waitUntil(() => wrong.received().startsWith('HTTP/1.1 415'));
    await vi.waitUntil(() => welcome.received().includes('{"line":1,"status":200}\n'));
  });
});

describe('an import', () => {
  const TIMEOUTS = { REQUEST_TIMEOUT_MS: '1000' };

  test('may take longer than a request may, as long as it gets on, and its connection goes on as any', async () => {
    const service = await startService(TIMEOUTS);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const exchange = beginImport(service, { agent });
    const started = performance.now();
    let count = 0;
    while (performance.now() - started < 2500) {
      count += 1;
      exchange.request.write(line(count));
      await exchange.lines(count);
      await sleep(20);
    }
    exchange.request.end();
    const { socket } = exchange.request;

    expect((await exchange.body()).split('\n')).toHaveLength(count + 1);
    const next = beginImport(service, { agent });
    next.request.write('{"id":');
    const late = await next.response;
    expect(next.request.socket).toBe(socket);
    expect(late.statusCode).toBe(408);
    expect(await next.body()).toContain('"error":40800');
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('that stops to send after some answers is cut', async () => {
    const service = await startService(TIMEOUTS);
    const exchange = beginImport(service);
    exchange.request.write(`${line(1)}{"id":2`);
    await exchange.lines(1);

    await expect(exchange.body()).rejects.toThrow('aborted');

    expect(await service.plants()).toHaveLength(1);
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test.for(['zz\r\n', undefined])('whose body breaks off answers what it has stored', async (nonsense) => {
    const service = await startService();
    const text = Array.from({ length: 1000 }, (_, id) => line(id)).join('');
    const head = [
      'POST /plants/import HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${TOKEN}`,
      'Content-Type: application/x-ndjson',
      'Transfer-Encoding: chunked',
      '\r\n',
    ].join('\r\n');

    const connection = await sendRaw(
      service.port,
      `${head}${text.length.toString(16)}\r\n${text}\r\n${nonsense ?? ''}`,
    );
    if (nonsense === undefined) connection.socket.end();
    const received = await connection.ended;

    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(received.match(/"status":200/g)).toHaveLength((await service.plants()).length);
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('ends within seconds when its token is revoked, and answers what it has stored', async () => {
    const service = await startService();
    const tokens = service.app.get(AccessTokensService);
    const { token, secret } = await tokens.issue({ name: 'x', scopes: ['plants:write'], expiresAt: null });
    const exchange = beginImport(service, { headers: { Authorization: `Bearer ${secret}` } });
    exchange.request.write(line(1));
    await exchange.lines(1);

    await tokens.revoke(token.id);
    exchange.request.write(line(2));

    await exchange.lines(2);
    await expect(exchange.body()).rejects.toThrow('aborted');
    expect(await service.plants()).toHaveLength(2);
  });

  test('in flight when the service stops is answered', async () => {
    const service = await startService();
    const exchange = beginImport(service);
    exchange.request.write(line(1));
    await exchange.lines(1);

    const stopped = service.stop();
    await vi.waitUntil(() => service.log.some((entry) => entry.includes('Stopping')));
    exchange.request.end(line(2));

    expect(await exchange.body()).toBe('{"line":1,"status":200}\n{"line":2,"status":200}\n');
    await stopped;
    expect(await service.plants()).toHaveLength(2);
  });

  test('that does not end is cut when the service stops', async () => {
    const service = await startService({}, undefined, { timeouts: { shutdown: 200 } });
    const exchange = beginImport(service);
    exchange.request.write(line(1));
    await exchange.lines(1);

    await service.stop();

    await expect(exchange.body()).rejects.toThrow('aborted');
    expect(await service.plants()).toHaveLength(1);
  });
});
