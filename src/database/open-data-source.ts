import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { dataSourceOptions } from './data-source-options.js';
import { DatabaseStartError } from './database-start.error.js';
import { migrate } from './migrate.js';
import { WalMarks } from './wal-marks.js';

/**
 * Opens the database, making a file that is missing, and brings its schema up to date.
 *
 * @throws DatabaseStartError with the reason in one sentence when the database cannot be used.
 */
export async function openDataSource(
  settings: Pick<Settings, 'database'>,
  options: DataSourceOptions = dataSourceOptions(settings),
): Promise<DataSource> {
  const { database } = settings;
  try {
    if (database.type === 'sqlite') WalMarks.refuseForeignLog(database.path);
    await migrate(settings);
    return await new DataSource(options).initialize();
  } catch (error) {
    throw DatabaseStartError.from(error, database);
  }
}
