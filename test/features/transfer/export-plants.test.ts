import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { plantStore } from '../../support/command-line.js';
import { beginExport, type Exchange, smallSocket } from '../../support/network/exchange.js';
import { PLANT_LINES, withoutOtherFields } from '../../support/plants.js';
import { requestText, sendRaw } from '../../support/network/raw-connection.js';
import { type Answer, importRequest, type Service, startService, TOKEN } from '../../support/service.js';
import { issue } from '../../support/tokens.js';

const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };

const PLANTS = PLANT_LINES.join('');

/** Stores more than a small socket takes while the client reads nothing; returns the export of it. */
async function storeMuch(service: Service, count = 300): Promise<string> {
  const name = 'x'.repeat(16_000);
  await service.database.execute(`
    INSERT INTO plants (id, name)
    WITH RECURSIVE n (id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id < ${count - 1}) SELECT id, '${name}' FROM n`);
  return Array.from({ length: count }, (_, id) => `{"id":${id},"name":"${name}"}\n`).join('');
}

async function importAll(service: Service, body: string): Promise<void> {
  const { text } = await service.request('/plants/import', importRequest(body));
  expect(text.match(/"status":200}/g)).toHaveLength(body.trimEnd().split('\n').length);
}

async function exportAll(service: Service, init: RequestInit = {}): Promise<Answer> {
  return service.request('/plants/export', { headers: AUTHORIZATION, ...init });
}

/** Begins an export of which the client takes nothing but the headers. */
async function holdExport(service: Service, headers: Record<string, string> = {}): Promise<Exchange> {
  const exchange = beginExport(service, { socketPath: await smallSocket(service), headers });
  expect((await exchange.response).statusCode).toBe(200);
  return exchange;
}

/** Whether the service waits for the client of this socket, unless it has cut it. */
function isWaiting({ writableLength, destroyed }: Socket): boolean {
  return writableLength > 0 || destroyed;
}

describe('GET /plants/export', () => {
  test('answers every plant in ascending id, to the byte as the command line does, and an import takes it', async () => {
    const [service, copy] = [await startService(), await startService()];
    await importAll(service, PLANTS.trimEnd().split('\n').toReversed().join('\n'));

    const answer = await exportAll(service);
    await importAll(copy, answer.text);

    expect(answer.status).toBe(200);
    expect(withoutOtherFields(answer.text)).toBe(PLANTS);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="plants.ndjson"');
    expect((await exportAll(copy)).text).toBe(answer.text);
    expect((await plantStore(service.database, ['export'])).stdout).toBe(answer.text);
  });

  test('answers HEAD like GET, without looking at the plants', async () => {
    const service = await startService();
    const get = await exportAll(service);
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');

    const head = await exportAll(service, { method: 'HEAD' });

    expect(get).toMatchObject({ status: 200, text: '' });
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-type', 'content-disposition'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });

  test('shows the store as it was when it began, and keeps nobody from writing and reading', async () => {
    const service = await startService();
    const text = await storeMuch(service);
    const exchange = await holdExport(service);

    await importAll(service, '{"id":-1,"name":"new"}\n{"id":2000,"name":"new"}\n');
    await service.database.execute("UPDATE plants SET name = 'changed'; DELETE FROM plants WHERE id > 15");

    expect(withoutOtherFields(await exchange.body())).toBe(text);
    expect(await service.plants()).toHaveLength(17);
  });

  test('runs three times at once, counts included, leaves a place for pages, and runs again when one is over', async () => {
    const service = await startService();
    const text = await storeMuch(service);
    const running = await Promise.all([1, 2, 3].map(async () => holdExport(service)));

    const refused = await exportAll(service);
    const uncounted = await service.send('GET', '/plants/count');
    const page = await service.send('GET', '/plants?total=true&limit=1');
    running[0]?.request.destroy();
    await vi.waitUntil(async () => (await exportAll(service)).status === 200, { timeout: 5_000 });

    expect(refused).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(uncounted).toMatchObject({ status: 503, body: refused.body });
    expect(page.status).toBe(200);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.has('content-disposition')).toBe(false);
    expect(service.log.join('')).not.toContain('"level":"error"');
    expect(withoutOtherFields((await running[1]?.body()) ?? '')).toBe(text);
  });

  test.for([
    ['whose body breaks the rules of HTTP', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['whose body ends too soon', 'Content-Length: 10\r\n\r\nabc'],
  ] as const)('holds nothing for a request %s', async ([, rest]) => {
    const service = await startService();
    await storeMuch(service);
    const head = requestText('GET /plants/export').slice(0, -2);

    for (let count = 0; count < 8; count += 1) {
      const { socket, ended } = await sendRaw(service.port, head + rest);
      socket.end();
      await ended;
    }

    await vi.waitUntil(async () => (await exportAll(service)).status === 200);
    expect(service.log.join('')).not.toContain('"level":"error"');
    // PostgreSQL would wait for whoever still reads.
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');
    await service.stop();
  });

  test('ends within seconds when its token is revoked', async () => {
    const service = await startService();
    await storeMuch(service);
    const { id, headers } = await issue(service, ['plants:read']);
    const exchange = await holdExport(service, headers);

    await service.send('DELETE', `/tokens/${id}`);

    await vi.waitUntil(() => service.log.some((line) => line.includes('"aborted":true')), { timeout: 5_000 });
    await expect(exchange.body()).rejects.toThrow('aborted');
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('cuts a client that takes nothing for too long, and none that only takes long', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '1000' });
    const text = await storeMuch(service);

    const stalled = await Promise.all([1, 2, 3].map(async () => holdExport(service)));
    await vi.waitUntil(
      () => service.log.filter((line) => line.includes('"aborted":true')).length === stalled.length,
      { timeout: 5_000 },
    );

    for (const exchange of stalled) await expect(exchange.body()).rejects.toThrow('aborted');
    const slow = await holdExport(service);
    let length = 0;
    for await (const chunk of await slow.response) {
      length += (chunk as Buffer).length;
      await sleep(20);
    }
    // Plants may have other fields.
    expect(length).toBeGreaterThanOrEqual(text.length);
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('cuts clients that keep reading, but too slowly, and lets another export begin', async () => {
    const service = await startService();
    const text = await storeMuch(service);
    const socketPath = await smallSocket(service);
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server: Server = service.app.getHttpServer();
    const sockets: Socket[] = [];
    server.on('connection', (socket) => socket.remoteAddress === undefined && sockets.push(socket));
    const slow = Array.from({ length: 3 }, () => beginExport(service, { socketPath }));
    await Promise.all(slow.map(async ({ response }) => response));
    const refused = await exportAll(service);

    const ends = await Promise.allSettled(
      slow.map(async ({ response }) => {
        for await (const _chunk of await response) {
          // Time in which the service waits for its database does not count.
          await vi.waitUntil(() => sockets.every(isWaiting), { interval: 1 });
          vi.advanceTimersByTime(5_000);
        }
      }),
    );

    expect(refused.status).toBe(503);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { code: 'ECONNRESET' } });
    expect(withoutOtherFields((await exportAll(service)).text)).toBe(text);
    expect(service.log.join('')).not.toContain('"level":"error"');
  });

  test('is an Error when the plants cannot be read', async () => {
    const service = await startService();
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');

    const answer = await exportAll(service);

    expect(answer).toMatchObject({ status: 500, body: { error: 50000 } });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.has('content-disposition')).toBe(false);
  });

  test('is cut when the service stops, and lets go of the database', async () => {
    const service = await startService({}, undefined, { timeouts: { shutdown: 200 } });
    await storeMuch(service, 1600);
    const exchange = beginExport(service);
    await exchange.response;

    await service.stop();

    await expect(exchange.body()).rejects.toThrow('aborted');
    if (inject('database') === 'sqlite') {
      expect(existsSync(`${service.database.url.slice('sqlite:'.length)}-wal`)).toBe(false);
    }
    // PostgreSQL would wait for whoever still reads.
    await service.database.execute('ALTER TABLE plants RENAME TO elsewhere');
  });
});
