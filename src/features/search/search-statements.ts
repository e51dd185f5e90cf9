import type { ObjectLiteral } from 'typeorm';
import type { Equation } from '../../store/index-scan.js';
import type { Statement } from '../../store/statements.js';
import type { Column, Table } from '../../store/table.js';

/** Words that all occur in the text of a row, whatever their case. */
export interface Search {
  readonly words: readonly string[];
  /** The columns whose values, a line each, are the text. */
  readonly columns: readonly Column[];
  /** The index of the text: on SQLite, a table of FTS5. */
  readonly index: string;
}

/**
 * Rows that PostgreSQL reads in order before it asks the index, which takes some milliseconds. The index returns its hits in no
 * order, so all of them are read and sorted. That is fast where these rows have less than a page of hits: hits are rare then.
 */
const WALK = 4_096;

/** What the index of PostgreSQL holds. */
export function textOf(columns: readonly Column[]): string {
  return `(${columns.map(({ name }) => `coalesce(${name}, '')`).join(' || chr(10) || ')})`;
}

/** Select the JSON of the rows after a key, in its order. The next statement is needed as long as there are too few rows. */
export function searchStatements<Row extends ObjectLiteral>(
  table: Table<Row>,
  search: Search,
  after: unknown,
  equations: readonly Equation[],
  limit: number,
): Statement[] {
  const { name, json, key } = table;
  const condition = conditionOf(table, search);
  const equal = equationsOf(equations);
  const later = (column: string) => (after === undefined ? 'true' : `${column} > ?`);
  const parameters = [
    ...(after === undefined ? [] : [key.encode(after)]),
    ...parametersOf(table, search),
    ...equal.values,
    limit,
  ];
  if (!table.isPostgres) {
    const hits = `SELECT rowid AS hit FROM ${search.index} WHERE ${later('rowid')} AND ${condition}`;
    const rows = `CROSS JOIN ${name} ON ${key.name} = hit${equal.sql}`;
    return [{ text: `SELECT ${json} AS json FROM (${hits}) ${rows} ORDER BY hit LIMIT ?`, parameters }];
  }
  const walk = `FROM ${name} WHERE ${later(key.name)} ORDER BY ${key.name} LIMIT ${WALK}`;
  const page = `ORDER BY ${key.name} LIMIT ?`;
  const end = `SELECT max(${key.name}) FROM (SELECT ${key.name} ${walk}) AS walked`;
  const texts = [
    `SELECT ${json} AS json FROM (SELECT * ${walk}) AS walked WHERE ${condition}${equal.sql} ${page}`,
    // Without OFFSET, PostgreSQL might walk on.
    `SELECT ${json} AS json FROM (SELECT * FROM ${name} WHERE ${key.name} > (${end}) AND ${condition}${equal.sql} OFFSET 0) AS hits ${page}`,
  ];
  return texts.map((text) => ({ text, parameters }));
}

export function searchCountStatement<Row extends ObjectLiteral>(
  table: Table<Row>,
  search: Search,
  equations: readonly Equation[],
): Statement {
  const { name, key, isPostgres } = table;
  const equal = equationsOf(equations);
  const join = equal.sql && `CROSS JOIN ${name} ON ${key.name} = ${search.index}.rowid`;
  const searched = isPostgres ? name : `${search.index} ${join}`;
  const text = `SELECT count(*) AS count FROM ${searched} WHERE ${conditionOf(table, search)}${equal.sql}`;
  return { text, parameters: [...parametersOf(table, search), ...equal.values] };
}

function equationsOf(equal: readonly Equation[]) {
  return {
    sql: equal.map(([{ name }]) => ` AND ${name} = ?`).join(''),
    values: equal.map(([{ encode }, value]) => encode(value)),
  };
}

function conditionOf<Row extends ObjectLiteral>(
  { isPostgres }: Table<Row>,
  { words, columns, index }: Search,
): string {
  return isPostgres ? words.map(() => `${textOf(columns)} ILIKE ?`).join(' AND ') : `${index} MATCH ?`;
}

/** In quotes, or after a backslash, no character of a word has a meaning. */
function parametersOf<Row extends ObjectLiteral>({ isPostgres }: Table<Row>, { words }: Search): string[] {
  return isPostgres
    ? words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
    : [words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')];
}
