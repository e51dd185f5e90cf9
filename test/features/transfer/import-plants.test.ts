import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { importLines as resultsOf } from '../../../src/features/transfer/transfers.js';
import type { Collection } from '../../../src/kernel/resource/collection.js';
import { NewPlantDto } from '../../../src/plants/dto/plant.dto.js';
import type { Plant } from '../../../src/plants/plant.entity.js';
import { beginImport, smallSocket } from '../../support/network/exchange.js';
import { requestText, sendRaw } from '../../support/network/raw-connection.js';
import { type Answer, importRequest, type Service, startService } from '../../support/service.js';

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
  test('skips a byte order mark before the first line, and nowhere else', async () => {
    const service = await startService();

    const { text } = await importLines(service, `\uFEFF${line(1)}\uFEFF${line(2)}`);

    expect(text).toMatch(/^\{"line":1,"status":200\}\n\{"line":2,"status":400,"error":40000,/);
    expect(await service.plants()).toHaveLength(1);
  });

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
    const noUtf8 = Buffer.from('\n{"id":1,"name":"\xff"}', 'latin1');

    const answer = await importLines(service, Buffer.concat([Buffer.from(lines.join('\n')), noUtf8]));

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.body).toEqual([
      { line: 1, status: 200 },
      {
        line: 2,
        status: 400,
        error: 40001,
        message: 'name must be a string of Unicode characters other than U+0000.',
      },
      { line: 4, status: 400, error: 40001, message: expect.stringMatching(/id must be an integer/) },
      { line: 5, status: 400, error: 40000, message: 'The line must be valid JSON.' },
      { line: 6, status: 400, error: 40000, message: 'The line must be a JSON object.' },
      { line: 7, status: 409, error: 40900, message: 'id 9 belongs to another plant.' },
      { line: 8, status: 200 },
      { line: 9, status: 409, error: 40900, message: 'id 9223372036854775807 belongs to another plant.' },
      { line: 10, status: 413, error: 41300, message: 'The line is too long.' },
      { line: 11, status: 200 },
      { line: 12, status: 200 },
      { line: 13, status: 200 },
      { line: 14, status: 409, error: 40900, message: 'id 9 belongs to another plant.' },
      { line: 15, status: 400, error: 40000, message: expect.stringContaining('UTF-8') },
    ]);
    expect(await service.plants()).toEqual([
      { id: -9223372036854775808n, name: 'least', tag: null },
      { id: 9n, name: 'there already', tag: null },
      { id: 9007199254740993n, name: 'last', tag: null },
      { id: 9223372036854775807n, name: '草 \u{1F33F}', tag: '' },
    ]);
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

    const answer = await importLines(service, `${line(1)}nonsense\n${line(2)}`, { 'X-Request-Id': 'broken' });

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

test('a request to import that is not one is refused, and one without a line is answered nothing', async () => {
  const service = await startService();

  for (const [headers, status, error] of [
    [{ 'Content-Type': 'application/json' }, 415, 41500],
    [{ 'Content-Type': '' }, 415, 41500],
    [{ 'Content-Type': 'application/x-ndjson;charset=latin1' }, 415, 41500],
    [{ 'Content-Encoding': 'gzip' }, 415, 41500],
    [{ Authorization: '' }, 401, 40100],
    [{ Authorization: 'Bearer x' }, 401, 40101],
  ] as [Record<string, string>, number, number][]) {
    const answer = await importLines(service, line(1), headers);

    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.headers.get('accept')).toBe('Content-Type' in headers ? 'application/x-ndjson' : null);
  }
  for (const empty of ['', '\n\n'])
    expect(await importLines(service, empty)).toMatchObject({ status: 200, text: '' });
  expect(await service.plants()).toEqual([]);
});

// What a connection does to an import has nothing to do with the database.
describe.runIf(inject('database') === 'sqlite')('an import', () => {
  const TIMEOUTS = { REQUEST_TIMEOUT_MS: '1000' };

  test('may take longer than a request may, as long as it gets on, and its connection stays usable', async () => {
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

  test('whose answers the client does not take is read no further, and cut when that lasts', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '300' });
    const { request, response } = beginImport(service, { socketPath: await smallSocket(service) });

    request.end('x\n'.repeat(40_000));
    (await response).pause();

    await vi.waitUntil(() => service.log.some((entry) => entry.includes('"aborted":true')), {
      timeout: 15_000,
    });
    expect(await service.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 200 });
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

  test('of empty lines leaves others their turn', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    onTestFinished(() => clearInterval(timer));

    const part = Readable.from([Buffer.alloc(3_000_000, '\n')]);
    for await (const results of resultsOf({} as Collection<Plant>, part, NewPlantDto))
      expect(results).toEqual([]);

    expect(turns).toBeGreaterThan(10);
  });

  test.for(['zz\r\n', undefined])('whose body breaks off answers what it has stored', async (nonsense) => {
    const service = await startService();
    const text = Array.from({ length: 1000 }, (_, id) => line(id)).join('');
    const head = requestText('POST /plants/import', [
      'Content-Type: application/x-ndjson',
      'Transfer-Encoding: chunked',
    ]);

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
});
