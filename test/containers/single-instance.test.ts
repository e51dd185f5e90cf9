import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createRequest, TOKEN } from '../support/service.js';
import { compose, docker } from './compose.js';

const READY = { timeout: 60_000, interval: 200 };
const STOP_GRACE_PERIOD_MS = 10_000;
const PLANT = { id: 1, name: 'Aloe' };

let environment: Record<string, string>;
let url: string;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function container(): Promise<string> {
  return compose(environment, 'ps', '-q', 'plant-store');
}

async function inspect<Value>(template: string): Promise<Value> {
  return JSON.parse(await docker('inspect', '--format', `{{json ${template}}}`, await container())) as Value;
}

async function becomesHealthy(): Promise<void> {
  await vi.waitUntil(async () => (await inspect<string>('.State.Health.Status')) === 'healthy', READY);
}

async function create(): Promise<Response> {
  return fetch(`${url}/plants`, createRequest(PLANT));
}

describe('docker compose up', () => {
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    environment = {
      COMPOSE_PROJECT_NAME: `plant-store-test-${port}`,
      PORT: String(port),
      BOOTSTRAP_TOKEN: TOKEN,
    };
    await compose(environment, 'build');
    await compose(environment, 'up', '-d');
    await becomesHealthy();
  });

  afterAll(async () => compose(environment, 'down', '-v'));

  test('runs as somebody without rights, on a root file system that cannot be written', async () => {
    expect(await docker('exec', await container(), 'id', '-u')).not.toBe('0');
    expect(await inspect('.HostConfig.ReadonlyRootfs')).toBe(true);
    expect(await inspect('.HostConfig.CapDrop')).toEqual(['ALL']);
    await expect(docker('exec', await container(), 'touch', '/app/x')).rejects.toThrow(
      'Read-only file system',
    );
  });

  test('creates a plant, and the contract names the address outside of the container', async () => {
    expect((await create()).status).toBe(200);
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({
      servers: [{ url: url.replace('127.0.0.1', 'localhost') }],
    });
  });

  test('has the command line on board', async () => {
    expect(await docker('exec', await container(), 'plant-store', 'token', 'list')).toContain('bootstrap');
  });

  test('stops within the grace period with 0, and finds the plant again', async () => {
    const started = Date.now();
    await compose(environment, 'stop');

    expect(Date.now() - started).toBeLessThan(STOP_GRACE_PERIOD_MS);
    expect(await inspect('.State.ExitCode')).toBe(0);
    await compose(environment, 'start');
    await becomesHealthy();
    expect(await (await create()).json()).toMatchObject({ error: 40900 });
  });

  test('keeps the plant when the container is made anew, or killed', async () => {
    await compose(environment, 'up', '-d', '--force-recreate');
    await becomesHealthy();
    expect(await (await create()).json()).toMatchObject({ error: 40900 });

    await docker('kill', await container());
    await compose(environment, 'up', '-d');
    await becomesHealthy();
    expect(await (await create()).json()).toMatchObject({ error: 40900 });
  });
});
