import { expect, inject, test } from 'vitest';
import { PostgresClient } from '../../src/database/postgres-client.js';
import { startProxy } from '../support/network/tcp-proxy.js';
import { freePort } from '../support/postgres-server.js';

test('a connection that breaks while the pool verifies it does not end the process', async () => {
  const url = new URL(inject('postgresServer'));
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  const client = new PostgresClient({ connectionString: url.href });
  await client.connect();

  const verified = client.query('SELECT pg_sleep(60)');
  proxy.leadTo(await freePort());

  await expect(verified).rejects.toThrow();
});
