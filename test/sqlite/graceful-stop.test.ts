import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { requestText, sendRaw } from '../support/network/raw-connection.js';
import { runService } from '../support/running-process.js';
import { startService, TOKEN } from '../support/service.js';
import { emptyDatabase, pathOf } from '../support/database.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { existsSync } from 'node:fs';

const BODY = '{"id":1,"name":"Aloe"}';
const CREATE = requestText('POST /plants', [], BODY);
const HALF = CREATE.slice(0, 5 - BODY.length);
const REST = BODY.slice(5);
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function refusesWork(url: string): Promise<void> {
  await vi.waitFor(() => expect(fetch(`${url}/health/live`)).rejects.toThrow());
}

describe('a stop', () => {
  test('answers the request in flight, refuses new work, closes the database and exits with 0', async () => {
    const database = await emptyDatabase();
    const service = await runService(temporaryFolder(), {
      DATABASE_URL: database.url,
      BOOTSTRAP_TOKEN: TOKEN,
    });
    const port = Number(new URL(service.url).port);
    const idle = await sendRaw(port, LIVE);
    await vi.waitUntil(() => idle.received().includes('ok'));
    const inFlight = await sendRaw(port, HALF);
    const pipelining = await sendRaw(port, HALF);
    await fetch(`${service.url}/health/live`);

    service.child.kill('SIGTERM');
    await refusesWork(service.url);
    inFlight.socket.write(REST);
    pipelining.socket.write(REST + LIVE);

    expect(await inFlight.ended).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n[^]*\{.*"name":"Aloe".*\}$/,
    );
    // Nothing comes behind it.
    expect(await pipelining.ended).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n[^]*40900[^{}]*\}$/);
    expect(await service.exited).toBe(0);
    expect(service.stderr()).toBe('');
    expect(service.stdout()).toMatch(/"Stopping: [^\n]+\n[^]*"msg":"Stopped\."\}\n$/);
    expect(existsSync(`${pathOf(database)}-wal`)).toBe(false);
    expect(await database.plants()).toHaveLength(1);
  });

  test('ends an idle service at once, although there is a connection on which nothing was sent', async () => {
    const service = await startService({}, undefined, { timeouts: { shutdown: 60_000 } });
    const { ended } = await sendRaw(service.port, '');
    await service.request('/health/live');

    await service.stop();

    expect(await ended).toBe('');
  });

  test('waits for a client that is still taking a large answer', async () => {
    const service = await startService();
    // A row of before texts had a limit.
    await service.database.execute(`INSERT INTO plants (id, name) VALUES (1, '${'x'.repeat(8_000_000)}')`);
    const slow = await sendRaw(service.port, requestText('GET /plants'));
    slow.socket.once('data', () => slow.socket.pause());
    await vi.waitUntil(() => slow.received() !== '');

    const stopped = service.stop();
    await refusesWork(service.url);
    slow.socket.resume();

    const body = (await slow.ended).split('\r\n\r\n')[1] ?? '';
    expect(JSON.parse(body)).toHaveLength(1);
    await stopped;
  });

  test('reaches the service when npm start gets SIGTERM', async () => {
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, PORT: '0', BASE_URL: '', DATABASE_URL: (await emptyDatabase()).url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void npm.kill('SIGKILL'));
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    await vi.waitUntil(() => output.includes('Listening on'), { timeout: 30_000 });

    npm.kill('SIGTERM');
    const [code] = (await once(npm, 'close')) as [number | null];

    expect(code).toBe(0);
    expect(output).toContain('Stopping');
  });

  test('cuts what is still open after a while', async () => {
    const service = await startService({}, undefined, { timeouts: { shutdown: 200 } });
    const halfOpen = await sendRaw(service.port, CREATE.slice(0, 30));
    const halfSent = await sendRaw(service.port, HALF);
    await fetch(`${service.url}/health/live`);

    await service.stop();

    expect([await halfOpen.ended, await halfSent.ended]).toEqual(['', '']);
    expect(await service.plants()).toEqual([]);
  });
});
