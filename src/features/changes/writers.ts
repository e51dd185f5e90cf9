import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { SqliteConnection } from '../../database/sqlite/sqlite-connection.js';
import { SqliteDataSource } from '../../database/sqlite/sqlite-data-source.js';
import { run } from '../../store/queries.js';
import type { Table, Writers } from '../../store/table.js';

/**
 * The setting of PostgreSQL that tells triggers who writes, as JSON: the id of a caller, or ids by the names of tables of changes
 * and the keys of rows.
 */
export const WRITERS = 'plant_store.writers';

/** Makes writes to a table tell its changes who writes each row. */
export async function noteWriters(
  dataSource: DataSource,
  table: Table<ObjectLiteral>,
  changes: string,
): Promise<void> {
  if (dataSource instanceof SqliteDataSource) await noteOnSqlite(dataSource, table, changes);
  else noteOnPostgres(table, changes);
}

/** The statement of SQLite that runs: its table, and who writes. */
const current = new AsyncLocalStorage<{ readonly table: Table<ObjectLiteral>; readonly writers: Writers }>();

/**
 * Triggers of the service's own connections add the writer to each change, so that SQL of other programs needs no function that
 * they do not have.
 */
async function noteOnSqlite(
  dataSource: SqliteDataSource,
  table: Table<ObjectLiteral>,
  changes: string,
): Promise<void> {
  const writerOf = (content: string) => {
    const { table: written, writers = new Map() } = current.getStore() ?? {};
    const isRow = table === written;
    return onlyOf(writers) ?? (isRow ? writers.get(table.decodeKey(table.parse(content)))?.by : null) ?? null;
  };
  await dataSource.prepareConnections((connection: SqliteConnection) => {
    connection.function(`${changes}_writer`, writerOf);
    connection.exec(`
      CREATE TEMP TRIGGER ${changes}_writer AFTER INSERT ON main.${changes} BEGIN
        UPDATE ${changes} SET writer = ${changes}_writer(new.content) WHERE cursor = new.cursor;
      END`);
  });
  table.write = (queries, statement, writers) =>
    current.run({ table, writers }, () => run(queries, statement));
}

/** The first row that a statement returns sets the writers, and triggers of statements come later. */
function noteOnPostgres(table: Table<ObjectLiteral>, changes: string): void {
  table.write = (queries, { text, parameters }, writers) => {
    const byKey = () => Object.fromEntries(Array.from(writers, ([key, { by }]) => [String(key), by]));
    const setting = JSON.stringify(onlyOf(writers) ?? { [changes]: byKey() });
    return run(queries, {
      text: `${text}, (SELECT set_config('${WRITERS}', ?, true))`,
      parameters: [...parameters, setting],
    });
  };
}

/** Who writes all rows; undefined if there are several, or nobody is known. */
function onlyOf(writers: Writers): string | undefined {
  const [first] = writers.values();
  for (const { by } of writers.values()) if (by !== first?.by) return undefined;
  return first?.by;
}
