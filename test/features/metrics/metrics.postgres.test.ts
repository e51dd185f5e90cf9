import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { expect, test, vi } from 'vitest';
import { readMetrics } from '../../support/metrics.js';
import { createMany } from '../../support/plants.js';
import { startService } from '../../support/service.js';

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
