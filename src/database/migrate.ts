import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { migrationOptions } from './data-source-options.js';
import { DatabaseStartError } from './database-start.error.js';

const RETRY_DELAY_MS = 200;

/** Key of the advisory lock that instances take before they look at the schema; any number that nobody else uses. */
const LOCK_KEY = 7_526_870;

/**
 * Milliseconds to wait for a table that others use, such as an export. While a change of the schema waits, every statement of
 * running instances waits behind it: less than they take for a failure.
 */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * Brings the schema up to date, in one transaction: it is changed as a whole or not at all.
 *
 * Several processes may do so at the same time. PostgreSQL lets them wait for each other; on SQLite the one that comes
 * second fails, and tries again.
 */
export async function migrate(settings: Pick<Settings, 'database'>): Promise<void> {
  const dataSource = await new DataSource(migrationOptions(settings)).initialize();
  try {
    await attempt(dataSource).catch(async (error: unknown) => {
      if (error instanceof DatabaseStartError || settings.database.type !== 'sqlite') throw error;
      await sleep(RETRY_DELAY_MS);
      await attempt(dataSource);
    });
  } finally {
    await dataSource.destroy();
  }
}

async function attempt(dataSource: DataSource): Promise<void> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction();
    await refuseOtherEncodings(queryRunner);
    await waitForTheOthers(queryRunner);
    const executor = new MigrationExecutor(dataSource, queryRunner);
    executor.transaction = 'all';
    await refuseNewerSchema(executor, dataSource);
    await executor.executePendingMigrations();
    await queryRunner.commitTransaction();
  } catch (error) {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await queryRunner.release();
  }
}

/** SQLite stores UTF-8 anyway; a PostgreSQL in another encoding could not keep every text. */
async function refuseOtherEncodings(queryRunner: QueryRunner): Promise<void> {
  if (queryRunner.dataSource.options.type !== 'postgres') return;
  const [{ encoding } = { encoding: 'none' }] = (await queryRunner.query(
    "SELECT current_setting('server_encoding') AS encoding",
  )) as { encoding: string }[];
  if (encoding === 'UTF8') return;
  throw new DatabaseStartError(`The database has to be in the encoding UTF8, and is in ${encoding}.`);
}

/** The lock goes with the transaction, also through a pooler that gives every transaction another connection. */
async function waitForTheOthers(queryRunner: QueryRunner): Promise<void> {
  if (queryRunner.dataSource.options.type === 'postgres') {
    await queryRunner.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  }
}

async function refuseNewerSchema(executor: MigrationExecutor, dataSource: DataSource): Promise<void> {
  const known = new Set(dataSource.migrations.map(({ name }) => name));
  const executed = await executor.getExecutedMigrations();
  const unknown = executed.find(({ name }) => !known.has(name));
  if (unknown !== undefined) {
    throw new DatabaseStartError(
      `The database was written by a newer version of plant-store: it has the migration ${unknown.name}.`,
    );
  }
}
