import { expect, inject, test, vi } from 'vitest';
import { PostgresClient, Servers } from '../../src/kernel/database/postgres/postgres-client.js';
import { startProxy } from '../support/network/tcp-proxy.js';
import { emptyDatabase } from '../support/database.js';
import { freePort } from '../support/postgres-server.js';
import { startService } from '../support/service.js';

test('a connection that breaks while the pool verifies it does not end the process', async () => {
  const url = new URL(inject('postgresServer'));
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  const client = new PostgresClient({ servers: new Servers([url.href]) });
  await client.connect();

  const verified = client.query('SELECT pg_sleep(60)');
  proxy.leadTo(await freePort());

  await expect(verified).rejects.toThrow();
});

test('of several servers, each start and each new connection takes one that can be reached', async () => {
  const database = await emptyDatabase();
  const { port } = new URL(database.url);
  const proxies = [await startProxy(Number(port)), await startProxy(Number(port))] as const;
  const ports = [await freePort(), ...proxies.map((proxy) => proxy.port)];
  const servers = ports.map((each) => `127.0.0.1:${each}`).join();
  const DATABASE_URL = database.url.replace(/[^@/]+:\d+(?=\/[^/]*$)/, servers);
  const service = await startService({ DATABASE_URL }, database);
  const list = async () => (await service.send('GET', '/tokens')).status;

  for (const proxy of proxies) {
    // A statement that is sent before the loss of its connection is known fails.
    await vi.waitFor(async () =>
      expect(new Set(await Promise.all(Array.from({ length: 20 }, list)))).toEqual(new Set([200])),
    );
    proxy.leadTo(await freePort());
  }
  await vi.waitFor(async () => expect(await list()).toBe(503));
  proxies[0].leadTo(Number(port));
  await vi.waitFor(async () => expect(await list()).toBe(200));
});
