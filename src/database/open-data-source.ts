import type { Pool } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Settings } from '../config/settings.js';
import { createDataSource } from './data-source-options.js';
import { DatabaseStartError } from './database-start.error.js';
import { migrate } from './migrate.js';
import { refuseOpenTransactions } from './postgres-client.js';
import { WalMarks } from './wal-marks.js';

/**
 * Opens the database, making a file that is missing, and brings its schema up to date.
 *
 * @throws DatabaseStartError with the reason in one sentence when the database cannot be used.
 */
export async function openDataSource(
  settings: Pick<Settings, 'database'>,
  options?: DataSourceOptions,
): Promise<DataSource> {
  const { database } = settings;
  try {
    if (database.type === 'sqlite') WalMarks.refuseForeignLog(database.path);
    await migrate(settings);
    const dataSource = await createDataSource(settings, options).initialize();
    if (database.type === 'postgres')
      refuseOpenTransactions((dataSource.driver as PostgresDriver).master as Pool);
    return dataSource;
  } catch (error) {
    throw DatabaseStartError.from(error, database);
  }
}
