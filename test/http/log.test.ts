import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { readSettings } from '../support/settings.js';
import { sendRaw } from '../support/network/raw-connection.js';
import { createMany, plant } from '../support/plants.js';
import { importRequest, type Service, startService } from '../support/service.js';
import { issue } from '../support/tokens.js';

/** The line of the request with this id. */
async function lineOf(service: Service, requestId: string): Promise<Record<string, unknown>> {
  const isOfIt = (line: string) => line.includes(`"${requestId}"`) && line.includes('"msg":"request ');
  return JSON.parse(await vi.waitUntil(() => service.log.find(isOfIt))) as Record<string, unknown>;
}

test('a probe that passes is in the log at debug, one that fails at info, with the cause as a warning', async () => {
  const service = await startService({ LOG_LEVEL: 'debug' });

  for (const path of ['/health/live', '/health/ready']) {
    await service.request(path, { headers: { 'X-Request-Id': path } });

    expect(await lineOf(service, path)).toMatchObject({ level: 'debug', path, status: 200 });
  }
  await service.database.execute('ALTER TABLE migrations RENAME TO elsewhere');
  await service.request('/health/ready', { headers: { 'X-Request-Id': 'failed' } });

  expect(await lineOf(service, 'failed')).toMatchObject({ level: 'info', status: 503 });
  expect(service.log.filter((line) => line.includes('no such table: migrations'))).toHaveLength(1);
});

test('a slow request is in the log at warn; an import is never slow', async () => {
  const service = await startService({}, undefined, { log: { slowRequest: 40 } });
  // A write waits for 50 ms before it gives up.
  const other = new Database(service.database.url.slice('sqlite:'.length)).exec('BEGIN IMMEDIATE');
  await service.create(plant(1), { 'X-Request-Id': 'slow' });
  other.exec('ROLLBACK').close();
  const usual = await startService();
  const strict = await startService({}, undefined, { log: { slowRequest: 1 } });
  const plants = Array.from({ length: 2_000 }, (_, id) => plant(id));

  await usual.send('GET', '/plants/1', { headers: { 'X-Request-Id': 'quick' } });
  await strict.request('/plants/import', importRequest(plants, { 'X-Request-Id': 'import' }));

  expect(await lineOf(service, 'slow')).toMatchObject({
    level: 'warn',
    status: 503,
    msg: 'request answered',
  });
  expect(await lineOf(usual, 'quick')).toMatchObject({ level: 'info' });
  expect(await lineOf(strict, 'import')).toMatchObject({ level: 'info' });
});

describe('the line of a request', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  test('names the trace of the client and its span, if there is a valid one', async () => {
    const service = await startService();
    const lineWith = async (traceparent: string) => {
      await service.request('/docs', { headers: { traceparent, 'X-Request-Id': traceparent } });
      return lineOf(service, traceparent);
    };

    expect(await lineWith(`00-${TRACE}-00f067aa0ba902b7-01`)).toMatchObject({
      traceId: TRACE,
      parentSpanId: '00f067aa0ba902b7',
    });
    expect(await lineWith('00-none-none-01')).not.toHaveProperty('traceId');
  });

  test('has of the path what routes have, and integers', async () => {
    const service = await startService();
    const shown = {
      '/plants?token=secret': '/plants',
      '/plants/export': '/plants/export',
      '/openapi.json': '/openapi.json',
      '/plants/-9223372036854775808': '/plants/-9223372036854775808',
      '/plants/12345678901234567890': '/plants/…',
      '/plants/pst_secret': '/plants/…',
      '/plants/:id': '/plants/…',
      '/plants/secret%': '/plants/…',
      '/plants/secret%ff': '/plants/…',
      '/nowhere/secret': '/…/…',
      '//user:secret@host/plants': '//…/plants',
      '//user:secret@host/docs': '//…/docs',
      'http://user:secret@host/plants': '/plants',
      'http://user:secret@host/nowhere': '/…',
      '/%70lants/secret%31': '/…/…',
      '/plants#secret': '/…',
      '*': '…',
    };

    for (const [index, target] of Object.keys(shown).entries()) {
      const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: path-${index}\r\n`;
      await (
        await sendRaw(service.port, `${head}Connection: close\r\n\r\n`)
      ).ended;

      expect(await lineOf(service, `path-${index}`), target).toHaveProperty(
        'path',
        Object.values(shown)[index],
      );
    }
    expect(service.log.join('')).not.toContain('secret');
  });

  test('tells what was asked and answered, by which client and with which token', async () => {
    const service = await startService();
    const { id, secret } = await issue(service, ['plants:read']);
    const send = async (token: string, name: string) =>
      service.send('GET', '/plants', { headers: { Authorization: `Bearer ${token}`, 'X-Request-Id': name } });

    await send(secret, 'known');
    await send('guess', 'guess');

    const guess = await lineOf(service, 'guess');
    expect(await lineOf(service, 'known')).toEqual({
      level: 'info',
      time: expect.any(String) as string,
      requestId: 'known',
      method: 'GET',
      path: '/plants',
      client: '127.0.0.1',
      tokenId: id,
      status: 200,
      durationMs: expect.any(Number) as number,
      msg: 'request answered',
    });
    expect(guess).toMatchObject({ client: '127.0.0.1', status: 401 });
    expect(guess).not.toHaveProperty('tokenId');
    expect(service.log.join('')).not.toMatch(new RegExp(`${secret}|guess(?!")`));
  });

  test.for([
    ['', '203.0.113.9', '127.0.0.1'],
    ['10.0.0.0/8', '203.0.113.9', '127.0.0.1'],
    ['loopback', '2001:db8::1', '2001:db8::1'],
    ['127.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.0/8, 203.0.113.9', '198.51.100.1, 203.0.113.9', '198.51.100.1'],
    ['loopback, linklocal,uniquelocal,::ffff:8.0.0.0/104', '192.0.2.1, 8.1.1.1, fd00::1', '192.0.2.1'],
    ['loopback', 'no address', '127.0.0.1'],
  ] as const)(
    'with TRUSTED_PROXIES=%s takes X-Forwarded-For: %s for %s',
    async ([trusted, header, client]) => {
      const service = await startService({ TRUSTED_PROXIES: trusted });

      await service.request('/docs', { headers: { 'X-Forwarded-For': header, 'X-Request-Id': 'seen' } });

      expect(await lineOf(service, 'seen')).toMatchObject({ client });
    },
  );

  test.for([
    ['', 1],
    ['loopback', 0],
  ] as const)('=%s: X-Forwarded-For is warned of %d times', async ([trusted, times]) => {
    const service = await startService({ TRUSTED_PROXIES: trusted });

    await service.request('/plants');
    expect(service.log.join('')).not.toContain('TRUSTED_PROXIES');
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await service.request('/plants', { headers: { 'X-Forwarded-For': address } });

    const warnings = service.log.filter((line) => line.includes('TRUSTED_PROXIES'));
    expect(warnings.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(
      Array(times).fill('warn'),
    );
  });

  test.for([
    '10',
    'true',
    'proxy.example.org',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '::1/129',
    'loopback,,',
    '1.2.3',
  ])('is not written with TRUSTED_PROXIES=%s, which is refused', (value) => {
    expect(() => readSettings({ TRUSTED_PROXIES: value })).toThrow(
      /TRUSTED_PROXIES must be addresses, ranges .*; number \d is not valid/,
    );
  });
});

test('a refusal that is repeated is explained once, however many requests meet it', async () => {
  const service = await startService();
  const other = new Database(service.database.url.slice('sqlite:'.length)).exec('BEGIN IMMEDIATE');

  const [first] = await createMany(service, 1);
  const [second] = await createMany(service, 1, 2);
  other.exec('ROLLBACK').close();

  expect([first, second]).toMatchObject([{ status: 503 }, { status: 503 }]);
  const warnings = service.log.filter((line) => line.includes('SQLITE_BUSY'));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] ?? '')).toMatchObject({ level: 'warn', err: { stack: expect.any(String) } });
});
