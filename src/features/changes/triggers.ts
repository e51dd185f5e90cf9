import type { ObjectLiteral } from 'typeorm';
import type { Queries } from '../../kernel/store/queries.js';
import type { Table } from '../../kernel/store/table.js';
import { WRITERS } from './writers.js';

/** Key of the advisory lock that instances take before they check the triggers: an arbitrary number. */
const LOCK_KEY = 7_526_871;

/** Milliseconds to wait for a table in use. All later writes wait meanwhile. */
const LOCK_TIMEOUT_MS = 2_000;

/** Microseconds by which the clocks of instances may differ. */
const CLOCKS_DIFFER = 1_000_000;

/** The kind of the first row of a table of changes. It is not a change, but gives a feed without changes a cursor. */
export const BEGINNING = 'beginning';

/**
 * Makes the table of changes and the triggers that write it, or removes them.
 *
 * No cursor is below the time, in microseconds since 1970, when the table was made or the service started. So a restored store,
 * or one that kept no changes for a while, never reuses a cursor.
 */
export async function prepareTriggers(
  queries: Queries,
  table: Table<ObjectLiteral>,
  changes: string,
  isOn: boolean,
): Promise<void> {
  const prepare = table.isPostgres ? prepareOnPostgres : prepareOnSqlite;
  for (const statement of await prepare(queries, table, changes, isOn)) await queries.query(statement);
}

async function prepareOnSqlite(
  queries: Queries,
  table: Table<ObjectLiteral>,
  changes: string,
  isOn: boolean,
): Promise<string[]> {
  const found = (await queries.query('SELECT type, name, sql FROM sqlite_schema WHERE name GLOB ?', [
    `${changes}*`,
  ])) as { readonly type: string; readonly name: string; readonly sql: string }[];
  const triggers = found.filter(({ type, name }) => type === 'trigger' && name.startsWith(`${changes}_`));
  const there = found.find(({ type, name }) => type === 'table' && name === changes);
  const isThere = there !== undefined;
  const isOld = isThere && !there.sql.includes('writer');
  const wanted = isOn ? sqliteTriggers(table, changes) : [];
  // Most starts have nothing to change, and must not write: the disk may be full.
  if (isOn === isThere && triggers.map(({ sql }) => sql).join() === wanted.join()) return [];
  return [
    ...triggers.map(({ name }) => `DROP TRIGGER ${name}`),
    ...(isThere && !isOn ? [`DROP TABLE ${changes}`] : []),
    ...(isOn && !isThere ? sqliteTable(changes) : []),
    ...(isOn && isOld ? [`ALTER TABLE ${changes} ADD COLUMN writer TEXT`] : []),
    ...wanted,
  ];
}

const SQLITE_MICROSECONDS = `CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)`;
/** Takes half as long as `strftime`. */
const SQLITE_TIME = `replace(datetime('now', 'subsec'), ' ', 'T') || 'Z'`;

function sqliteTable(changes: string): string[] {
  const columns =
    'cursor INTEGER PRIMARY KEY NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL, writer TEXT';
  return [
    `CREATE TABLE ${changes} (${columns}) STRICT`,
    `INSERT INTO ${changes} VALUES (${SQLITE_MICROSECONDS}, ${SQLITE_TIME}, '${BEGINNING}', '', NULL)`,
  ];
}

/** Inserts with `VALUES`: SQLite would first copy a `SELECT` from the table of changes into a temporary table. */
function sqliteTriggers(table: Table<ObjectLiteral>, changes: string): string[] {
  const { name, key, columns } = table;
  const cursor = `max((SELECT max(cursor) + 1 FROM ${changes}), ${SQLITE_MICROSECONDS})`;
  const add = (kind: string, row: string) =>
    `INSERT INTO ${changes} VALUES (${cursor}, ${SQLITE_TIME}, '${kind}', ${table.jsonOf(row)}, NULL);`;
  const isMoved = `old.${key.name} <> new.${key.name}`;
  const isChanged = columns.map((column) => `old.${column.name} IS NOT new.${column.name}`).join(' OR ');
  const trigger = (called: string, event: string, ...actions: string[]) =>
    `CREATE TRIGGER ${changes}_${called} AFTER ${event} ON ${name} ${actions.join(' ')} END`;
  return [
    trigger('insert', 'insert', 'BEGIN', add('created', 'new.')),
    trigger('move', 'update', `WHEN ${isMoved} BEGIN`, add('deleted', 'old.'), add('created', 'new.')),
    trigger('update', 'update', `WHEN NOT ${isMoved} AND (${isChanged}) BEGIN`, add('changed', 'new.')),
    trigger('delete', 'delete', 'BEGIN', add('deleted', 'old.')),
  ];
}

async function prepareOnPostgres(
  queries: Queries,
  table: Table<ObjectLiteral>,
  changes: string,
  isOn: boolean,
): Promise<string[]> {
  await queries.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
  await queries.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  // Other schemas of the path may have other stores. Without `pg_temp`, temporary tables of a caller would come first.
  await queries.query(
    `SELECT set_config('search_path', CAST(relnamespace AS regnamespace) || ', pg_temp', true)
     FROM pg_class WHERE oid = to_regclass($1)`,
    [table.name],
  );
  const [{ isthere, isold, triggers } = {}] = (await queries.query(
    `SELECT to_regclass($1) IS NOT NULL AS isThere,
            to_regclass($1) IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'writer') AS isOld,
            (SELECT count(*) FROM pg_trigger
             WHERE tgrelid = to_regclass($2) AND tgfoid = to_regproc($1) AND tgenabled <> 'D') AS triggers`,
    [changes, table.name],
  )) as { readonly isthere?: boolean; readonly isold?: boolean; readonly triggers?: string }[];
  if (!isOn) return isthere ? [`DROP FUNCTION ${changes}() CASCADE`, `DROP TABLE ${changes}`] : [];
  const now = Date.now() * 1_000;
  const create = `CREATE TABLE ${changes} (
    cursor bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY (START WITH ${now}),
    at text NOT NULL, kind text NOT NULL, content text NOT NULL, writer text
  )`;
  const sequence = `${changes}_cursor_seq`;
  return [
    ...(isthere ? [] : [create]),
    ...(isold ? [`ALTER TABLE ${changes} ADD COLUMN writer text`] : []),
    `SELECT setval('${sequence}', ${now}) FROM ${sequence} WHERE last_value < ${now - CLOCKS_DIFFER}`,
    // A new field of the entity needs only a new function, which takes no lock on the table.
    postgresFunction(table, changes),
    ...(isthere
      ? []
      : [`INSERT INTO ${changes} (at, kind, content) VALUES (${POSTGRES_TIME}, '${BEGINNING}', '')`]),
    ...(Number(triggers) === POSTGRES_TRIGGERS.length ? [] : postgresTriggers(table, changes)),
  ];
}

const POSTGRES_TIME = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Statement triggers: row triggers cost half as much again. */
const POSTGRES_TRIGGERS = [
  ['insert', 'AFTER', 'REFERENCING NEW TABLE AS new_rows'],
  ['update', 'AFTER', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'],
  ['delete', 'AFTER', 'REFERENCING OLD TABLE AS old_rows'],
  ['truncate', 'BEFORE', ''],
] as const;

function postgresTriggers({ name }: Table<ObjectLiteral>, changes: string): string[] {
  return POSTGRES_TRIGGERS.map(
    ([event, moment, rows]) =>
      `CREATE OR REPLACE TRIGGER ${changes}_${event} ${moment} ${event} ON ${name} ${rows} EXECUTE FUNCTION ${changes}()`,
  );
}

/**
 * The function of all triggers. It has the rights of the service, so other users can write to the table but not to its changes.
 *
 * A row is written before its change draws a cursor, so the transaction already has an id (see `ChangeFeed`). A truncation has to
 * assign one first.
 */
function postgresFunction(table: Table<ObjectLiteral>, changes: string): string {
  const key = table.key.name;
  const writerOf = (row: string) => `coalesce(change.writer, change.writers ->> CAST(${row}${key} AS TEXT))`;
  const either = (of: (row: string) => string) =>
    `CASE WHEN after.${key} IS NULL THEN ${of('before.')} ELSE ${of('after.')} END`;
  const json = (row: string) => table.jsonOf(row);
  const add = (kind: string, content: string, writer: string, rows: string) =>
    `INSERT INTO ${changes} (at, kind, content, writer) SELECT change.at, ${kind}, ${content}, ${writer} FROM ${rows};`;
  const kind = `CASE WHEN before.${key} IS NULL THEN 'created' WHEN after.${key} IS NULL THEN 'deleted' ELSE 'changed' END`;
  const pairs = `old_rows AS before FULL JOIN new_rows AS after ON before.${key} = after.${key} WHERE before IS DISTINCT FROM after`;
  const deletion = (rows: string) =>
    add(`'deleted'`, json('before.'), writerOf('before.'), `${rows} AS before`);
  return `
    CREATE OR REPLACE FUNCTION ${changes}() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    <<change>>
    DECLARE
      at text := ${POSTGRES_TIME};
      writers jsonb := CAST(nullif(current_setting('${WRITERS}', true), '') AS jsonb);
      writer text := CASE jsonb_typeof(writers) WHEN 'string' THEN writers #>> '{}' END;
    BEGIN
      writers := writers -> '${changes}';
      IF TG_OP = 'INSERT' THEN
        ${add(`'created'`, json('after.'), writerOf('after.'), 'new_rows AS after')}
      ELSIF TG_OP = 'UPDATE' THEN
        ${add(kind, either(json), either(writerOf), pairs)}
      ELSIF TG_OP = 'DELETE' THEN
        ${deletion('old_rows')}
      ELSE
        PERFORM pg_current_xact_id();
        ${deletion(table.name)}
      END IF;
      RETURN NULL;
    END $$`;
}
