import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { DatabaseSettings } from '../config/settings.js';
import { patiently } from '../limits/patience.js';
import type { Meter } from './meter.js';

/** Measures the database: whether it answers, and what fills up. */
export function measureDatabase(meter: Meter, dataSource: DataSource, database: DatabaseSettings): void {
  const ping = patiently(async () => dataSource.query('SELECT 1'));
  meter.gauge(
    {
      name: 'plant_store_database_up',
      help: 'Whether the database answers within a second: 1, otherwise 0.',
    },
    () =>
      ping().then(
        () => 1,
        () => 0,
      ),
  );
  if (database.type === 'sqlite') measureFiles(meter, database.path);
  else measurePool(meter, (dataSource.driver as PostgresDriver).master as Pool);
}

function measureFiles(meter: Meter, path: string): void {
  meter.gauge(
    {
      name: 'plant_store_database_size_bytes',
      help: 'Size of the files of SQLite: the database, and the write-ahead log before it is copied there.',
      labelNames: ['file'],
    },
    async () => [
      [{ file: 'database' }, await sizeOf(path)],
      [{ file: 'wal' }, await sizeOf(`${path}-wal`)],
    ],
  );
  meter.gauge(
    {
      name: 'plant_store_database_disk_free_bytes',
      help: 'Free space for the service on the disk of the database.',
    },
    async () => {
      const { bavail, bsize } = await statfs(dirname(path));
      return bavail * bsize;
    },
  );
}

/** A file that SQLite has removed is empty to it. */
async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return size;
}

function measurePool(meter: Meter, pool: Pool): void {
  meter.gauge(
    {
      name: 'plant_store_database_pool_connections',
      help: 'Connections to PostgreSQL, by state.',
      labelNames: ['state'],
    },
    () => [
      [{ state: 'in_use' }, pool.totalCount - pool.idleCount],
      [{ state: 'idle' }, pool.idleCount],
    ],
  );
  meter.gauge(
    { name: 'plant_store_database_pool_limit', help: 'Connections to PostgreSQL that there may be.' },
    () => pool.options.max,
  );
  meter.gauge(
    {
      name: 'plant_store_database_pool_waiting',
      help: 'Statements that wait for a connection to PostgreSQL.',
    },
    () => pool.waitingCount,
  );
}
