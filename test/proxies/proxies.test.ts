import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/postgres-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const DOCKER = fileURLToPath(new URL('../../docker', import.meta.url));
const CADDY = '/usr/bin/caddy';

/** A proxy with the configuration of the project, in front of `backend`: its arguments, what it reads, and its file. */
type Configure = (port: number, backend: number, folder: string) => [args: string[], file: string];

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

const caddy: Configure = (port, backend, folder) => [
  ['run', '--adapter', 'caddyfile', '--config', join(folder, 'proxy.conf')],
  // Caddy 2.6, as Debian has it, knows no full duplex for HTTP/1.1.
  readFileSync(join(DOCKER, 'caddy/Caddyfile'), 'utf8')
    .replace(/^\s*enable_full_duplex$/m, 'protocols h1 h2c')
    .replace('{$BASE_URL:https://localhost}', `http://127.0.0.1:${port}`)
    .replace('{$UPSTREAM:plants:3000}', `127.0.0.1:${backend}`),
];

/** As long as a page. */
const TEXT = JSON.stringify('Monstera deliciosa '.repeat(500));

/** The responses of the backend that a proxy may compress, by their paths. */
const RESPONSES: Readonly<Record<string, Record<string, string>>> = {
  '/plants': { 'Content-Type': 'application/json', 'Content-Length': String(TEXT.length) },
  '/plants/export': { 'Content-Type': 'application/x-ndjson' },
  '/plants/1': { 'Content-Type': 'application/json', ETag: '"0123"' },
};

/**
 * Answers an import as it comes, changes with an event and no end, everything else with the headers and the number of bytes that
 * arrive, and nothing for `/broken`.
 */
async function startBackend(): Promise<number> {
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url === '/broken') request.socket.destroy();
    if (url === '/plants/import') {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      return request.pipe(response);
    }
    if (url === '/plants/changes') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return response.write('data: an event\n\n');
    }
    if (RESPONSES[url] !== undefined) return response.writeHead(200, RESPONSES[url]).end(TEXT);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    return request.on('end', () => response.end(JSON.stringify({ ...request.headers, bytes })));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a proxy with the configuration of the project, in front of a backend; returns its address. */
async function startProxy(program: string, configure: Configure): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const [args, file] = configure(port, await startBackend(), folder);
  writeFileSync(join(folder, 'proxy.conf'), file);
  const env = { INSTANCES: 'none', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const proxy = spawn(program, args, { stdio: 'ignore', env });
  onTestFinished(() => void proxy.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await vi.waitUntil(async () => (await fetch(url).catch(() => undefined))?.ok);
  return url;
}

describe.for([
  ['/usr/sbin/haproxy', haproxy],
  ['/usr/sbin/nginx', nginx],
  [CADDY, caddy],
] as const)('behind %s', ([program, configure]) => {
  test.runIf(existsSync(program))('the service learns who the client is, and bodies pass', async () => {
    const url = await startProxy(program, configure);

    const seen = await fetch(url, { headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'mine' } });
    const sent = await fetch(url, { method: 'POST', body: Buffer.alloc(3_000_000) });

    expect(await seen.json()).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-request-id': 'mine' });
    // The service limits bodies.
    expect(await sent.json()).toMatchObject({ bytes: 3_000_000 });
    if (configure === caddy) expect(seen.headers.get('strict-transport-security')).toBe('max-age=31536000');
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

describe.for([
  ['/usr/sbin/nginx', nginx],
  [CADDY, caddy],
] as const)('%s compresses', ([program, configure]) => {
  test.runIf(existsSync(program))(
    'pages and exports, and leaves the entity tag of a plant as it is',
    async () => {
      const url = await startProxy(program, configure);

      const responses = await Promise.all(Object.keys(RESPONSES).map((path) => fetch(url + path)));

      expect(await Promise.all(responses.map((response) => response.text()))).toEqual([TEXT, TEXT, TEXT]);
      expect(responses.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', 'gzip', null]);
      expect(responses.map(({ headers }) => headers.get('etag'))).toEqual([null, null, '"0123"']);
    },
  );

  test.runIf(existsSync(program))('no event of a stream, which comes at once', async () => {
    const url = await startProxy(program, configure);

    const { body, headers } = await fetch(`${url}/plants/changes`);
    const first = await body?.pipeThrough(new TextDecoderStream()).getReader().read();

    expect(first?.value).toBe('data: an event\n\n');
    expect(headers.has('content-encoding')).toBe(false);
  });
});

test.runIf(existsSync(CADDY))(
  'behind Caddy, results of an import come while its lines are sent',
  async () => {
    const session = connect(await startProxy(CADDY, caddy));
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ':method': 'POST',
      ':path': '/plants/import',
      'accept-encoding': 'gzip',
    });

    const lines = ['one', 'two', 'three'].map((line) => `${line.padEnd(1_000)}\n`);
    const parts: string[] = [];
    for (const part of lines) {
      stream.write(part);
      const [answer] = (await once(stream, 'data')) as [Buffer];
      parts.push(answer.toString());
    }
    stream.end();

    expect(parts).toEqual(lines);
  },
);
