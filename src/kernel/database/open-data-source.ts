import { type DynamicModule, Logger, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  type DataSource,
  type DataSourceOptions,
  MigrationExecutor,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import { at, type ServerAddress } from '../config/server-address.js';
import type { Settings } from '../config/settings.js';
import { assertColumns } from './assert-columns.js';
import { createDataSource, createMigrationDataSource, dataSourceOptions } from './data-source-options.js';
import { DatabaseStartError } from './database-start.error.js';
import { SqliteDataSource } from './sqlite/sqlite-data-source.js';
import { identityOf, makePrivate, requireWholeStore } from './sqlite/store-file.js';

const OLDEST_POSTGRES = 15;

const logger = new Logger('Database');

/** Key of the advisory lock that instances take before they read the schema: an arbitrary number. */
const LOCK_KEY = 7_526_870;

/**
 * Milliseconds to wait for a table in use, such as by an export. While a migration waits, all statements of running instances
 * queue after it, so this is less than their own timeout.
 */
const LOCK_TIMEOUT_MS = 2_000;

/** The names of the migrations of this version. */
export const MIGRATIONS: ReadonlySet<string> = new Set(
  // As TypeORM names one without a `name` of its own.
  Object.values<Type<MigrationInterface>>(migrations).map(
    (Migration) => new Migration().name ?? Migration.name,
  ),
);

/** Which migrations may run: all pending ones, only the `first` ones in a database without any, or none. */
export type MigrationPolicy = 'all' | 'first' | 'none';

/** Names the server that runs migrations, if it is not the one of these queries. */
export type SchemaServer = (queries: Pick<QueryRunner, 'query'>) => Promise<ServerAddress | undefined>;

/** The data source of either database. */
@Module({})
export class DatabaseModule {
  static forRoot(
    settings: Settings,
    policy?: MigrationPolicy,
    check?: (dataSource: DataSource) => void,
    schemaServer?: SchemaServer,
  ): DynamicModule {
    const typeOrm = TypeOrmModule.forRootAsync({
      useFactory: () => ({
        ...dataSourceOptions(settings),
        // Each resource declares its entity by `TypeOrmModule.forFeature()`.
        autoLoadEntities: true,
        // A database that cannot be opened stops the start at once, with a reason.
        toRetry: () => false,
      }),
      dataSourceFactory: (options) => openDataSource(settings, options, policy, check, schemaServer),
    });
    return { module: DatabaseModule, imports: [typeOrm] };
  }
}

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
  schemaServer?: SchemaServer,
): Promise<DataSource> {
  const { database } = settings;
  const dataSource = createDataSource(settings, options);
  await dataSource.describeEntities();
  check(dataSource);
  try {
    const before = database.type === 'sqlite' ? identityOf(database.path) : undefined;
    if (database.type === 'sqlite') await requireWholeStore(database.path);
    if (database.type === 'sqlite' && policy === 'all') makePrivate(database.path);
    await migrate(settings, policy, schemaServer);
    await dataSource.initialize();
    await assertColumns(dataSource);
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

/** Runs the pending migrations in one transaction; several processes that do so wait for each other. */
async function migrate(
  settings: Pick<Settings, 'database'>,
  policy: MigrationPolicy,
  schemaServer?: SchemaServer,
): Promise<void> {
  const { database } = settings;
  let elsewhere: ServerAddress | undefined;
  const dataSource = await createMigrationDataSource(settings).initialize();
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction();
    if (database.type === 'postgres') await preparePostgres(queryRunner);
    const executor = new MigrationExecutor(dataSource, queryRunner);
    executor.transaction = 'all';
    const executed = (await executor.getExecutedMigrations()).map(({ name }) => name);
    refuseNewerSchema(executed);
    const pending = [...MIGRATIONS.difference(new Set(executed))];
    if (pending.length > 0 && (policy === 'none' || (policy === 'first' && executed.length > 0)))
      throw new DatabaseStartError(
        `Migrations are pending: ${pending.join(', ')}. The next start of the service runs them.`,
      );
    if (pending.length > 0 && database.type === 'postgres') elsewhere = await schemaServer?.(queryRunner);
    for (const migration of elsewhere === undefined ? await executor.getPendingMigrations() : []) {
      const start = performance.now();
      await executor.executeMigration(migration);
      logger.log(`Ran the migration ${migration.name} in ${Math.round(performance.now() - start)} ms.`);
    }
    await queryRunner.commitTransaction();
  } catch (error) {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await queryRunner.release();
    await dataSource.destroy();
  }
  if (elsewhere === undefined || database.type !== 'postgres') return;
  const there = { database: at(elsewhere, database) };
  await migrate(there, policy).catch((error: unknown) => {
    throw DatabaseStartError.from(error, there.database);
  });
}

interface Server {
  readonly version: string;
  readonly encoding: string;
  /** The settings that are off although PostgreSQL needs them to keep every commit. */
  readonly unsafe: string | null;
}

const SERVER = `
  SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
    (SELECT string_agg(name, ', ' ORDER BY name) FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off') AS unsafe`;

async function preparePostgres(queryRunner: QueryRunner): Promise<void> {
  const [server] = (await queryRunner.query(SERVER)) as Server[];
  const { version = '', encoding, unsafe } = server ?? {};
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    throw new DatabaseStartError(`PostgreSQL has to be ${OLDEST_POSTGRES} or newer, and is ${version}.`);
  // Only UTF8 has every character.
  if (encoding !== 'UTF8')
    throw new DatabaseStartError(`The database has to be in the encoding UTF8, and is in ${encoding}.`);
  if (unsafe)
    logger.warn(`PostgreSQL runs without ${unsafe}: acknowledged writes may be lost when its machine fails.`);
  // The lock ends with the transaction, so it works through a pooler that changes connections between transactions.
  await queryRunner.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
  await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
}
