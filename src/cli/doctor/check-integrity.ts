import type { DatabaseError } from 'pg';
import type { DataSource, QueryFailedError } from 'typeorm';
import { type Finding, ok, problem } from './finding.js';

const RESTORE = 'Stop the service, keep a copy of what is there, and restore a backup.';

/** Reads the whole database: what is damaged shows itself. */
export function checkIntegrity(dataSource: DataSource): Promise<Finding> {
  return dataSource.options.type === 'postgres' ? checkPostgres(dataSource) : checkSqlite(dataSource);
}

async function checkSqlite(dataSource: DataSource): Promise<Finding> {
  const [answer] = await dataSource.query<{ integrity_check: string }[]>('PRAGMA integrity_check(1)');
  const verdict = answer?.integrity_check.replaceAll('\n', ' ');
  if (verdict === 'ok') return ok('integrity', 'Tables and indexes are whole.');
  return problem('integrity', `The database is damaged: ${verdict}.`, RESTORE);
}

/** SQLSTATE of damaged data and of files that cannot be read, by how they begin. */
const DAMAGES = ['XX', '58'];

const TABLES = `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = current_schema()`;

/** A function of the extension amcheck that compares an index with its table; there is none without the extension. */
const AMCHECK = `SELECT to_regprocedure('bt_index_check(regclass, boolean)') IS NOT NULL AS "isThere"`;

const INDEXES = `
  SELECT bt_index_check(index.indexrelid, true) FROM pg_index AS index
  JOIN pg_class AS class ON class.oid = index.indexrelid
  JOIN pg_am AS method ON method.oid = class.relam AND method.amname = 'btree'
  WHERE class.relnamespace = current_schema()::regnamespace`;

async function checkPostgres(dataSource: DataSource): Promise<Finding> {
  try {
    // As text, so that values that are kept beside their rows are read, too.
    for (const { name } of await dataSource.query<{ name: string }[]>(TABLES))
      await dataSource.query(`SELECT count(${name}::text) FROM ${name}`);
    const [{ isThere } = { isThere: false }] = await dataSource.query<{ isThere: boolean }[]>(AMCHECK);
    if (isThere) await dataSource.query(INDEXES);
    return ok(
      'integrity',
      isThere
        ? 'Tables and indexes are whole.'
        : 'Every row can be read; the extension amcheck would check the indexes, too.',
    );
  } catch (error) {
    const { code = '' } = (error as QueryFailedError<DatabaseError>).driverError;
    if (!DAMAGES.some((damage) => code.startsWith(damage))) throw error;
    return problem('integrity', `The database is damaged: ${(error as Error).message}.`, RESTORE);
  }
}
