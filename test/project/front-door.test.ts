import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorValue } from '../../src/errors/error-value.js';
import { freePort } from '../support/postgres-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const CADDYFILE = readFileSync(new URL('../../docker/caddy/Caddyfile', import.meta.url), 'utf8');

const hasCaddy = spawnSync('caddy', ['version']).status === 0;

/** Stands in for the service: `/headers` returns the headers of the request, everything else its body as it comes. */
async function startUpstream(): Promise<Server> {
  const upstream = createServer((request, response) => {
    if (request.url === '/headers') response.end(JSON.stringify(request.headers));
    else request.pipe(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void upstream.close());
  await once(upstream, 'listening');
  return upstream;
}

/** Runs Caddy in front of the upstream, as the container does, and connects to it. */
async function startCaddy(upstream: Server): Promise<ClientHttp2Session> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const { port: upstreamPort } = upstream.address() as AddressInfo;
  const environment = {
    PATH: process.env['PATH'],
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    BASE_URL: `https://localhost:${port}`,
    UPSTREAM: `127.0.0.1:${upstreamPort}`,
  };
  const file = join(folder, 'Caddyfile');
  // Caddy 2.6, as Debian has it, knows no full duplex for HTTP/1.1. Nor does the test need redirects, on the port 80.
  writeFileSync(
    file,
    CADDYFILE.replace(/^\s*enable_full_duplex$/m, '').replace(
      'admin off',
      'admin off\nauto_https disable_redirects',
    ),
  );
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: environment,
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    caddy.kill();
    await once(caddy, 'close');
  });
  const session = await vi.waitFor(() => connected(environment.BASE_URL), { timeout: 20_000, interval: 100 });
  onTestFinished(() => session.destroy());
  return session;
}

async function connected(url: string): Promise<ClientHttp2Session> {
  const session = connect(url, { rejectUnauthorized: false });
  await once(session, 'connect');
  return session;
}

async function get(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}) {
  const stream = session.request({ ':path': path, ...headers });
  const [received] = (await once(stream, 'response')) as [OutgoingHttpHeaders];
  return { headers: received, body: JSON.parse(await text(stream)) as Record<string, unknown> };
}

describe.skipIf(!hasCaddy)('the front door, where Caddy is installed', () => {
  test('passes on request ids and the address of the client, and no other one', async () => {
    const session = await startCaddy(await startUpstream());

    const { headers, body } = await get(session, '/headers', {
      'X-Request-Id': 'mine',
      'X-Forwarded-For': '192.0.2.1',
    });

    expect(session.alpnProtocol).toBe('h2');
    expect(headers).toMatchObject({ ':status': 200, 'strict-transport-security': 'max-age=31536000' });
    expect(body).toMatchObject({
      'x-request-id': 'mine',
      'x-forwarded-for': expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      'x-forwarded-proto': 'https',
    });
  });

  test('passes on each part of a body at once, in both directions', async () => {
    const session = await startCaddy(await startUpstream());
    const stream = session.request({ ':method': 'POST', ':path': '/plants/import' });

    const parts: string[] = [];
    for (const part of ['one\n', 'two\n', 'three\n']) {
      stream.write(part);
      const [answer] = (await once(stream, 'data')) as [Buffer];
      parts.push(answer.toString());
    }
    stream.end();

    expect(parts).toEqual(['one\n', 'two\n', 'three\n']);
  });

  test('answers an Error of its own as the service does', async () => {
    const upstream = await startUpstream();
    const session = await startCaddy(upstream);
    upstream.close();

    const { headers, body } = await get(session, '/plants');

    expect(headers).toMatchObject({
      ':status': 503,
      'content-type': 'application/json',
      'retry-after': '1',
    });
    expect(body).toEqual({ error: ErrorValue.Unavailable, message: expect.stringMatching(/^[A-Z].+\.$/) });
  });
});
