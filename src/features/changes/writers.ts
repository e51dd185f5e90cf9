import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { SqliteConnection } from '../../kernel/database/sqlite/sqlite-connection.js';
import { SqliteDataSource } from '../../kernel/database/sqlite/sqlite-data-source.js';
import { run } from '../../kernel/store/queries.js';
import type { Table, Writers } from '../../kernel/store/table.js';

/**
 * The setting of PostgreSQL that tells triggers who writes, as JSON: the id of a caller, or ids by the names of tables of changes
 * and the keys of rows.
 */
export const WRITERS = 'plant_store.writers';

/** Makes the changes of a table record who wrote each row. */
export async function noteWriters(
  dataSource: DataSource,
  table: Table<ObjectLiteral>,
  changes: string,
): Promise<void> {
  if (dataSource instanceof SqliteDataSource) await noteOnSqlite(dataSource, table, changes);
  else noteOnPostgres(table, changes);
}

/** The table and the writers of the statement that runs on SQLite. */
const current = new AsyncLocalStorage<{ readonly table: Table<ObjectLiteral>; readonly writers: Writers }>();

/**
 * Temporary triggers on the service's connections add the writer to each change. Other programs do not have the function that
 * these call.
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
  table.runWritesBy((queries, statement, writers) =>
    current.run({ table, writers }, () => run(queries, statement)),
  );
}

/** `RETURNING` sets the writers with the first row, before statement triggers run. */
function noteOnPostgres(table: Table<ObjectLiteral>, changes: string): void {
  table.runWritesBy((queries, { text, parameters }, writers) => {
    const byKey = () => Object.fromEntries(Array.from(writers, ([key, { by }]) => [String(key), by]));
    const setting = JSON.stringify(onlyOf(writers) ?? { [changes]: byKey() });
    return run(queries, {
      text: `${text}, (SELECT set_config('${WRITERS}', ?, true))`,
      parameters: [...parameters, setting],
    });
  });
}

/** The caller who writes all rows; undefined if there are several or none. */
function onlyOf(writers: Writers): string | undefined {
  const [first] = writers.values();
  for (const { by } of writers.values()) if (by !== first?.by) return undefined;
  return first?.by;
}
