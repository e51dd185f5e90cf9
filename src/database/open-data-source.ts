import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, MigrationExecutor } from 'typeorm';
import { DatabaseStartError } from './database-start.error.js';

const RETRY_DELAY_MS = 200;

/**
 * Opens the database, making it if it is missing, and brings its schema up to date.
 *
 * @throws DatabaseStartError with the reason in one sentence when the database cannot be used.
 */
export async function openDataSource(options: DataSourceOptions): Promise<DataSource> {
  const dataSource = new DataSource(options);
  try {
    await dataSource.initialize();
    await refuseNewerSchema(dataSource);
    await migrate(dataSource);
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw DatabaseStartError.from(error, String(options.database));
  }
}

/** Tries twice: another process may be making the same database at the same time. */
async function migrate(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.runMigrations();
  } catch {
    await sleep(RETRY_DELAY_MS);
    await dataSource.runMigrations();
  }
}

async function refuseNewerSchema(dataSource: DataSource): Promise<void> {
  const known = new Set(dataSource.migrations.map(({ name }) => name));
  const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
  const unknown = executed.find(({ name }) => !known.has(name));
  if (unknown !== undefined) {
    throw new DatabaseStartError(
      `The database was written by a newer version of plant-store: it has the migration ${unknown.name}.`,
    );
  }
}
