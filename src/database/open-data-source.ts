import { type DataSource, type DataSourceOptions, MigrationExecutor, type QueryRunner } from 'typeorm';
import * as migrations from '../../migrations/index.js';
import type { Settings } from '../config/settings.js';
import { createDataSource, createMigrationDataSource } from './data-source-options.js';
import { DatabaseStartError } from './database-start.error.js';
import { SqliteDataSource } from './sqlite/sqlite-data-source.js';
import { identityOf, makePrivate, requireWholeStore } from './sqlite/store-file.js';

/** Key of the advisory lock that instances take before they read the schema: an arbitrary number. */
const LOCK_KEY = 7_526_870;

/**
 * Milliseconds to wait for a table in use, such as by an export. While a migration waits, all statements of running instances
 * queue after it, so this is less than their own timeout.
 */
const LOCK_TIMEOUT_MS = 2_000;

/** The names of the migrations of this version. */
export const MIGRATIONS: ReadonlySet<string> = new Set(
  Object.values(migrations).map((Migration) => new Migration().name),
);

/** Which migrations may run: all pending ones, only the `first` ones in a database without any, or none. */
export type MigrationPolicy = 'all' | 'first' | 'none';

/**
 * Opens the database, creates a missing file, and runs the migrations that may run.
 *
 * @param check throws if an entity is wrong. It runs before any migration, so that the previous version can still start.
 * @throws DatabaseStartError with the reason in one sentence when the database cannot be used, TypeORMError for an entity.
 */
export async function openDataSource(
  settings: Pick<Settings, 'database'>,
  options?: DataSourceOptions,
  policy: MigrationPolicy = 'all',
  check: (dataSource: DataSource) => void = () => undefined,
): Promise<DataSource> {
  const { database } = settings;
  const dataSource = createDataSource(settings, options);
  await dataSource.describeEntities();
  check(dataSource);
  try {
    const before = database.type === 'sqlite' ? identityOf(database.path) : undefined;
    if (database.type === 'sqlite') await requireWholeStore(database.path);
    if (database.type === 'sqlite' && policy === 'all') makePrivate(database.path);
    await migrate(settings, policy);
    await dataSource.initialize();
    if (dataSource instanceof SqliteDataSource) dataSource.guard.begin(dataSource.shared, before);
    return dataSource;
  } catch (error) {
    throw DatabaseStartError.from(error, database);
  }
}

/** @throws DatabaseStartError if a newer version made one of these migrations. */
export function refuseNewerSchema(executed: readonly string[]): void {
  const unknown = executed.find((name) => !MIGRATIONS.has(name));
  if (unknown !== undefined)
    throw new DatabaseStartError(
      `The database was written by a newer version of plant-store: it has the migration ${unknown}.`,
    );
}

/** The names of the migrations of this version that have not run. */
export function pendingMigrations(executed: readonly string[]): string[] {
  return [...MIGRATIONS.difference(new Set(executed))];
}

/** Runs the pending migrations in one transaction; several processes that do so wait for each other. */
async function migrate(settings: Pick<Settings, 'database'>, policy: MigrationPolicy): Promise<void> {
  const dataSource = await createMigrationDataSource(settings).initialize();
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction();
    if (settings.database.type === 'postgres') await preparePostgres(queryRunner);
    const executor = new MigrationExecutor(dataSource, queryRunner);
    executor.transaction = 'all';
    const executed = (await executor.getExecutedMigrations()).map(({ name }) => name);
    refuseNewerSchema(executed);
    const pending = pendingMigrations(executed);
    if (pending.length > 0 && (policy === 'none' || (policy === 'first' && executed.length > 0)))
      throw new DatabaseStartError(
        `Migrations are pending: ${pending.join(', ')}. The next start of the service runs them.`,
      );
    await executor.executePendingMigrations();
    await queryRunner.commitTransaction();
  } catch (error) {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await queryRunner.release();
    await dataSource.destroy();
  }
}

async function preparePostgres(queryRunner: QueryRunner): Promise<void> {
  const [{ encoding } = { encoding: 'none' }] = (await queryRunner.query(
    "SELECT current_setting('server_encoding') AS encoding",
  )) as { encoding: string }[];
  // Only UTF8 has every character.
  if (encoding !== 'UTF8')
    throw new DatabaseStartError(`The database has to be in the encoding UTF8, and is in ${encoding}.`);
  // The lock ends with the transaction, so it works through a pooler that changes connections between transactions.
  await queryRunner.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
  await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
}
