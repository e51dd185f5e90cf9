import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { ApiException } from '../../src/errors/api.exception.js';
import { ErrorValue } from '../../src/errors/error-value.js';
import { PlantsService } from '../../src/plants/plants.service.js';
import { type RawConnection, sendRaw } from '../support/network/raw-connection.js';
import { type Service, startService, TOKEN } from '../support/service.js';

const MIB = 1_048_576;

const PATIENTLY = { timeout: 20_000 };

/** The head of a request, with a body of so many bytes if that is given. */
function head(method: string, path: string, length?: number): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: plants', `Authorization: Bearer ${TOKEN}`];
  if (length !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${length}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends a text over several connections, and awaits that the service has read it. */
async function sendWhole(service: Service, count: number, text: string): Promise<RawConnection[]> {
  const sockets: Socket[] = [];
  service.app.getHttpServer().on('connection', (socket: Socket) => sockets.push(socket));
  const sent = await Promise.all(Array.from({ length: count }, async () => sendRaw(service.port, text)));
  const isRead = ({ bytesRead }: Socket) => bytesRead === text.length;
  await vi.waitUntil(() => sockets.filter(isRead).length === count, PATIENTLY);
  return sent;
}

/** All of two creates but their last byte. */
async function beginCreates(service: Service): Promise<RawConnection[]> {
  return sendWhole(service, 2, head('POST', '/plants', MIB) + ' '.repeat(MIB - 1));
}

async function createOf(service: Service, id: number, length: number): Promise<number> {
  return (await service.create({ id, name: 'Aloe', ignored: 'x'.repeat(length) })).status;
}

describe('the memory of all requests together', () => {
  const LIMIT = { REQUEST_MEMORY_LIMIT: String(8 * MIB) };

  test('is bounded: what is more is answered 503, and what is small is not counted', async () => {
    const service = await startService(LIMIT);
    const begun = await beginCreates(service);

    const refused = await service.create({ id: 1, name: 'Aloe', ignored: 'x'.repeat(100_000) });
    const small = await service.create({ id: 2, name: 'x'.repeat(10_000) });

    expect(refused).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(small.status).toBe(200);
    // Those that were begun are unharmed.
    for (const { socket } of begun) socket.write(' ');
    for (const connection of begun)
      await vi.waitUntil(() => connection.received().includes('"error":40000'), PATIENTLY);
    expect(await createOf(service, 3, 900_000)).toBe(200);
  });

  /** Each holds most of the memory, and returns what ends its connections. */
  test.for<[string, (service: Service) => Promise<() => void>]>([
    [
      'bodies that do not end',
      async (service) => {
        const begun = await beginCreates(service);
        return () => {
          for (const { socket } of begun) socket.destroy();
        };
      },
    ],
    [
      'lines of imports that do not end',
      async (service) => {
        const line = head('POST', '/plants/import', MIB).replace('/json', '/x-ndjson') + 'x'.repeat(MIB - 1);
        const [begun] = await sendWhole(service, 1, line);
        return () => begun?.socket.destroy();
      },
    ],
    [
      'requests that wait',
      async (service) => {
        const { promise, reject } = Promise.withResolvers<never>();
        vi.spyOn(service.app.get(PlantsService), 'find').mockReturnValue(promise);
        const text = head('GET', '/plants/1').repeat(64);
        const waiting = await sendWhole(service, 9, text);
        return () => {
          for (const { socket } of waiting) socket.destroy();
          reject(new ApiException(ErrorValue.Unavailable, 'The test is over.'));
        };
      },
    ],
  ])('is given back when connections are lost: %s', async ([, begin]) => {
    const service = await startService(LIMIT);
    let id = 100;

    const end = await begin(service);
    await vi.waitUntil(async () => (await createOf(service, (id += 1), 1_040_000)) === 503, PATIENTLY);
    end();

    await vi.waitUntil(async () => (await createOf(service, (id += 1), 1_040_000)) === 200, PATIENTLY);
  });

  test('has room for 1,024 bodies that are slow: the first of more is answered 503, the others go on', async () => {
    const service = await startService();
    const begun = await sendWhole(service, 1_024, head('POST', '/plants', 10) + ' ');
    const late = await sendRaw(service.port, head('POST', '/plants', 10) + ' ');

    await vi.waitUntil(() => begun.some((connection) => connection.received() !== ''), PATIENTLY);
    const refused = begun.filter((connection) => connection.received() !== '');
    late.socket.write('123456789');
    await vi.waitUntil(() => late.received() !== '', PATIENTLY);

    expect(refused).toHaveLength(1);
    expect(refused[0]?.received()).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*"error":50300/);
    expect(late.received()).toContain('"error":40000');
    expect(await createOf(service, 1, 10)).toBe(200);
    for (const { socket } of begun) socket.destroy();
  });

  test('holds answers that nobody takes only for so long', async () => {
    const service = await startService({
      REQUEST_MEMORY_LIMIT: String(128 * MIB),
      REQUEST_TIMEOUT_MS: '3000',
    });
    // A row of before texts had a limit.
    await service.database.execute(`INSERT INTO plants (id, name) VALUES (1, '${'x'.repeat(15 * MIB)}')`);

    const unread = await Promise.all(
      [1, 2].map(async () => {
        const connection = await sendRaw(service.port, head('GET', '/plants/1'));
        connection.socket.once('data', () => connection.socket.pause());
        await vi.waitUntil(() => connection.received() !== '', PATIENTLY);
        return connection;
      }),
    );

    expect((await service.send('GET', '/plants/1')).status).toBe(503);
    expect((await service.send('GET', '/plants/2')).status).toBe(404);
    await vi.waitUntil(
      () => service.log.filter((line) => line.includes('"aborted":true')).length === 2,
      PATIENTLY,
    );
    expect((await service.send('GET', '/plants/1')).status).toBe(200);
    for (const { socket } of unread) socket.destroy();
  });
});
