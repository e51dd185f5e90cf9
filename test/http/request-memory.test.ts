import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { type RawConnection, requestText, sendRaw } from '../support/network/raw-connection.js';
import { type Service, startService, TOKEN } from '../support/service.js';

/** A create whose body lacks 9 bytes. Smaller ones do not count. */
const BEGUN = requestText('POST /plants', [], ' '.repeat(131_000)).slice(0, -9);

/** Begins creates, and awaits that the service has read what they have sent. */
async function begin(service: Service, count: number): Promise<RawConnection[]> {
  const sockets: Socket[] = [];
  service.app.getHttpServer().on('connection', (socket: Socket) => sockets.push(socket));
  const begun = await Promise.all(Array.from({ length: count }, async () => sendRaw(service.port, BEGUN)));
  const isRead = ({ bytesRead }: Socket) => bytesRead === BEGUN.length;
  await vi.waitUntil(() => sockets.filter(isRead).length === count);
  return begun;
}

/** Clients that have read nothing of their responses but the headers. */
async function beginToRead({ url }: Service, path: string, count: number): Promise<IncomingMessage[]> {
  const headers = { Authorization: `Bearer ${TOKEN}`, Accept: 'application/x-ndjson, application/json' };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const [response] = await once(get(url + path, { headers, agent: false }), 'response');
      return response as IncomingMessage;
    }),
  );
}

describe('the memory of all requests together', () => {
  test('has room for 48 MiB of requests: more than 16 KiB of another is refused, and less is not', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '5000' });
    const begun = await begin(service, 400);

    const [late] = await begin(service, 1);

    await vi.waitUntil(() => late?.received() !== '');
    expect(late?.received()).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*"error":50300/);
    expect(begun.filter((connection) => connection.received() !== '').length).toBeLessThan(30);
    expect(await service.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 200 });
    for (const { socket } of begun) socket.destroy();
  });

  test('has room for 48 MiB of responses that nobody reads, and cuts them after a while', async () => {
    const service = await startService({ REQUEST_TIMEOUT_MS: '4000' });
    // Larger than the service itself stores.
    const large = `INSERT INTO plants (id, name) VALUES (1, '${'x'.repeat(15 * 1_048_576)}')`;
    await service.database.execute(large);

    await beginToRead(service, '/plants/1', 3);

    expect(await service.send('GET', '/plants/1')).toMatchObject({ status: 503, body: { error: 50300 } });
    expect((await service.send('GET', '/plants/2')).status).toBe(404);
    await vi.waitUntil(() => service.log.filter((line) => line.includes('"aborted":true')).length === 3);
    expect((await service.send('GET', '/plants/1')).status).toBe(200);
  });

  test('has room for 48 MiB of streams that nobody reads, and cuts a client beyond that after a second', async () => {
    const service = await startService();
    // Larger than the service itself stores.
    const large = `INSERT INTO plants (id, name) VALUES (1, '${'x'.repeat(15 * 1_048_576)}')`;
    await service.database.execute(large);

    const unread = await beginToRead(service, '/plants/changes?after=0', 7);

    await vi.waitUntil(() => service.log.filter((line) => line.includes('"aborted":true')).length === 1);
    expect((await service.send('GET', '/plants/1')).status).toBe(503);
    const taken = await Promise.allSettled(unread.map(buffer));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
    expect((await service.send('GET', '/plants/1')).status).toBe(200);
  });
});
