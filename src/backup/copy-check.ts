import type Database from 'better-sqlite3';

/** How many rows each table has, by its name. */
export type RowCounts = Readonly<Record<string, number>>;

/** Counts the rows of every table. */
export function countRows(database: Database.Database): RowCounts {
  const tables = database
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .pluck()
    .all();
  const count = (table: string) =>
    database
      .prepare<[], number>(`SELECT count(*) FROM "${table.replaceAll('"', '""')}"`)
      .pluck()
      .get() ?? 0;
  return Object.fromEntries(tables.toSorted().map((table) => [table, count(table)]));
}

/** Reads a whole database; throws an Error with the first problem that SQLite finds. */
export function checkIntegrity(database: Database.Database): void {
  const problem = database.pragma('integrity_check(1)', { simple: true }) as string;
  if (problem !== 'ok') throw new Error(`It is damaged: ${problem.replaceAll(/\s+/g, ' ')}.`);
}
