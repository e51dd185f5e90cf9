import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sendRaw } from '../support/network/raw-connection.js';
import { type Service, startService } from '../support/service.js';

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: plants\r\n\r\n';
const LAST = LIVE.replace('Host', 'Connection: close\r\nHost');

/** Opens a connection and awaits its first answer. */
async function open({ port }: Pick<Service, 'port'>) {
  const connection = await sendRaw(port, LIVE);
  await vi.waitUntil(() => connection.received().includes('{"status":"ok"}'));
  return connection;
}

describe('connections', () => {
  test('beyond the limit are answered 503 before they ask, and those that are open are unharmed', async () => {
    const service = await startService({}, undefined, { maxConnections: 2 });
    const [first, second] = [await open(service), await open(service)];

    const refused = await sendRaw(service.port, '');
    const answer = await refused.ended;
    const asking = await (await sendRaw(service.port, LIVE)).ended;

    expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(answer).toContain('\r\nRetry-After: 1\r\n');
    expect(answer).toContain('{"error":50300,"message":"Too many connections are open."}');
    expect(asking).toContain('"error":50300');
    expect(asking.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    second.socket.write(LAST);
    expect((await second.ended).match(/ 200 OK/g)).toHaveLength(2);
    await vi.waitUntil(async () => (await (await sendRaw(service.port, LAST)).ended).includes(' 200 OK'));
    first.socket.write(LAST);
    expect((await first.ended).match(/ 200 OK/g)).toHaveLength(2);
  });

  test('far beyond the limit are closed without a response', async () => {
    const service = await startService({}, undefined, { maxConnections: 1 });
    await open(service);

    const answers = await Promise.all(
      Array.from({ length: 300 }, async () => {
        let received = '';
        const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
        socket.on('data', (chunk) => (received += chunk.toString()));
        onTestFinished(() => void socket.destroy());
        // It may be reset.
        await once(socket, 'end').catch(() => undefined);
        return received;
      }),
    );

    expect(answers.filter((answer) => answer.includes('"error":50300')).length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer === '').length).toBeGreaterThan(0);
  });
});
