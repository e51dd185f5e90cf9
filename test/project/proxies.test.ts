import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULTS } from '../../src/config/environment.js';
import { freePort } from '../support/postgres-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const DOCKER = fileURLToPath(new URL('../../docker', import.meta.url));

/** What a proxy runs with, in front of `backend`: arguments, and files in its folder. */
type Configure = (port: number, backend: number, folder: string) => readonly [args: string[], file: string];

const haproxy: Configure = (port, backend, folder) => [
  ['-f', join(folder, 'proxy.conf')],
  readFileSync(join(DOCKER, 'haproxy/haproxy.cfg'), 'utf8')
    .replaceAll('/usr/local/etc/haproxy', join(DOCKER, 'haproxy').replaceAll(' ', '\\ '))
    .replace('":${PORT}"', `127.0.0.1:${port}`)
    .replace(/server-template .*/, `server instance-1 127.0.0.1:${backend}`),
];

const nginx: Configure = (port, backend, folder) => [
  ['-p', folder, '-c', join(folder, 'proxy.conf'), '-e', 'stderr'],
  `daemon off; master_process off; pid pid; events {}
   http {
     access_log off;
     ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join(' ')}
     ${readFileSync(join(DOCKER, 'nginx/plant-store.conf'), 'utf8')
       .replace('listen 80;', `listen 127.0.0.1:${port};`)
       .replace('127.0.0.1:3000', `127.0.0.1:${backend}`)}
   }`,
];

/** Answers with the headers and the number of bytes that arrive, and nothing for `/broken`. */
async function startBackend(): Promise<number> {
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url === '/broken') request.socket.destroy();
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.end(JSON.stringify({ ...request.headers, bytes })));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts a proxy with the configuration of the project, in front of a backend; returns its address. */
async function startProxy(program: string, configure: Configure): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const [args, file] = configure(port, await startBackend(), folder);
  writeFileSync(join(folder, 'proxy.conf'), file);
  const proxy = spawn(program, args, { stdio: 'ignore', env: { INSTANCES: 'none' } });
  onTestFinished(() => void proxy.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await vi.waitUntil(async () => (await fetch(url).catch(() => undefined))?.ok, { timeout: 10_000 });
  return url;
}

describe.for([
  ['/usr/sbin/haproxy', haproxy],
  ['/usr/sbin/nginx', nginx],
] as const)('behind %s', ([program, configure]) => {
  test.runIf(existsSync(program))('the service learns who the client is, whatever that says', async () => {
    const url = await startProxy(program, configure);

    const seen = await fetch(url, { headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'mine' } });

    expect(await seen.json()).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-request-id': 'mine' });
  });

  test.runIf(existsSync(program))('a body is as long as the service lets it be', async () => {
    const url = await startProxy(program, configure);

    const sent = await fetch(url, { method: 'POST', body: Buffer.alloc(3_000_000) });

    expect(await sent.json()).toMatchObject({ bytes: 3_000_000 });
  });

  test.runIf(existsSync(program))('a request without an answer gets an Error', async () => {
    const url = await startProxy(program, configure);

    const broken = await fetch(`${url}/broken`);

    expect(broken.status).toBe(503);
    expect(broken.headers.get('content-type')).toBe('application/json');
    expect(broken.headers.get('retry-after')).toBe('1');
    expect(await broken.json()).toMatchObject({ error: 50300, message: expect.any(String) });
  });
});

describe('docker-compose.yml', () => {
  test('gives PostgreSQL connections for as many instances as the load balancer finds', () => {
    const compose = readFileSync(join(DOCKER, '../docker-compose.yml'), 'utf8');
    const [, instances] =
      /server-template instance- 1-(\d+)/.exec(readFileSync(join(DOCKER, 'haproxy/haproxy.cfg'), 'utf8')) ??
      [];
    /** For the command line, for psql, and those that PostgreSQL keeps for superusers. */
    const others = 20;

    const limits = [...compose.matchAll(/max_connections=(\d+)/g)].map(([, limit]) => Number(limit));

    expect(limits).toHaveLength(compose.match(/command: postgres /g)?.length ?? 0);
    for (const limit of limits) {
      expect(limit).toBeGreaterThanOrEqual(
        Number(instances) * Number(DEFAULTS['DATABASE_POOL_SIZE']) + others,
      );
    }
  });
});
