import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AccessTokensService } from '../../src/auth/access-tokens.service.js';
import { postgresAt } from '../support/database.js';
import { readMetrics } from '../support/metrics.js';
import { createDatabase, PostgresServer } from '../support/postgres-server.js';
import { createMany } from '../support/plants.js';
import { startService } from '../support/service.js';

/** How long a request waits for a database that does not answer. */
const TIMEOUTS = { database: { connectTimeout: 400, statementTimeout: 400 } };

test.for<[string, (server: PostgresServer) => unknown, (server: PostgresServer) => unknown]>([
  ['is shut down', (server) => server.stop(), (server) => server.resumeOrStart()],
  ['is frozen', (server) => server.pause(), (server) => server.resume()],
])('while PostgreSQL %s, metrics go on, for tokens that were valid at last', async ([, harm, mend]) => {
  const server = await PostgresServer.start();
  onTestFinished(() => server.remove());
  const database = postgresAt(await createDatabase(server.url()));
  const service = await startService({}, database, TIMEOUTS);
  expect((await readMetrics(service)).get('plant_store_database_up')).toBe(1);
  const tokens = service.app.get(AccessTokensService);
  const { token, secret } = await tokens.issue({ name: 'test', scopes: ['metrics:read'], expiresAt: null });
  const readAs = async (shown: string) =>
    service.send('GET', '/metrics', { headers: { Authorization: `Bearer ${shown}` } });
  expect(await readAs(secret)).toMatchObject({ status: 200 });
  await tokens.revoke(token.id);
  await vi.waitFor(async () => expect(await readAs(secret)).toMatchObject({ status: 401 }), {
    timeout: 5_000,
  });

  await harm(server);
  await vi.waitFor(
    async () => expect(await service.send('GET', '/plants/1')).toMatchObject({ status: 503 }),
    { timeout: 20_000 },
  );
  const away = await readMetrics(service);
  const refused = [await readAs('nobody'), await readAs(secret)];
  await mend(server);

  expect(away.get('plant_store_database_up')).toBe(0);
  expect(away.get('plant_store_errors_total{error="50300"}')).toBeGreaterThan(0);
  for (const answer of refused) expect(answer).toMatchObject({ status: 503, body: { error: 50300 } });
  await vi.waitFor(async () => expect((await readMetrics(service)).get('plant_store_database_up')).toBe(1), {
    timeout: 10_000,
  });
});

test('shows how many connections to PostgreSQL are in use, and what waits for one', async () => {
  const service = await startService({ DATABASE_POOL_SIZE: '2' });
  const { database } = service;
  await createMany(service, 1);
  await database.execute('BEGIN; LOCK plants IN ACCESS EXCLUSIVE MODE');

  const reads = Array.from({ length: 4 }, async (_, id) => service.send('GET', `/plants?after=${id}`));
  const pool = (service.app.get(DataSource).driver as PostgresDriver).master as Pool;
  await vi.waitFor(() => expect(pool.waitingCount).toBe(2));

  // Metrics that ask the database wait for a connection, too, but not for long.
  const metrics = await readMetrics(service);
  expect(metrics.get('plant_store_database_pool_connections{state="in_use"}')).toBe(2);
  expect(metrics.get('plant_store_database_pool_waiting')).toBeGreaterThanOrEqual(2);
  expect(metrics.get('plant_store_database_pool_limit')).toBe(2);
  await database.execute('COMMIT');
  for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
});
