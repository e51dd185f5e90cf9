import type { ObjectLiteral } from 'typeorm';
import type { Equation, RowFilter } from '../../kernel/store/scans/index-scan.js';
import type { Statement } from '../../kernel/store/queries.js';
import type { Column, Table } from '../../kernel/store/table.js';
import { textOf, type Word } from './words.js';

/** Words that all occur in the text of a row, whatever their case. */
export interface Search {
  readonly words: readonly Word[];
  /** The columns whose values, one per line, are the text. */
  readonly columns: readonly Column[];
  /** The index of the text: on SQLite, a table of FTS5. */
  readonly index: string;
}

/**
 * Rows that PostgreSQL reads in order, within some milliseconds, before it uses the index. The index returns hits in no order, so
 * all of them are read and sorted. That is fast if the first rows did not fill a page: hits are then rare.
 */
const WALK = 4_096;

/** The rows that have all words. */
export function filterOf<Row extends ObjectLiteral>(
  table: Table<Row>,
  { words, columns }: Pick<Search, 'words' | 'columns'>,
): RowFilter {
  const text = textOf(table, columns);
  if (table.isPostgres)
    return {
      condition: words.map(() => `lower(${text} COLLATE "C") LIKE ? AND ${text} ~ ?`).join(' AND '),
      parameters: words.flatMap((word) => [word.likePattern, word.expression]),
    };
  const conditions = words.map(({ globPatterns }) => {
    const globs = globPatterns.map(() => `${text} GLOB ?`).join(' OR ');
    return `${text} LIKE ? AND (${globs})`;
  });
  const parameters = words.flatMap((word) => [word.likePattern, ...word.globPatterns]);
  return { condition: conditions.join(' AND '), parameters };
}

/** Statements that select the JSON of the rows after a key, in key order. Each is needed only if those before it find too few rows. */
export function searchStatements<Row extends ObjectLiteral>(
  table: Table<Row>,
  search: Search,
  after: unknown,
  equations: readonly Equation[],
  limit: number,
): Statement[] {
  const { name, json, key } = table;
  const { condition, parameters: wanted, rest } = indexedFilterOf(table, search);
  const equal = equationsOf(equations);
  const values = [...equal.values, ...rest.parameters];
  const later = (column: string) => (after === undefined ? 'true' : `${column} > ?`);
  const parameters = [...(after === undefined ? [] : [key.encode(after)]), ...wanted, ...values, limit];
  if (!table.isPostgres) {
    const hits = `SELECT rowid AS hit FROM ${search.index} WHERE ${later('rowid')} AND ${condition}`;
    const rows = `CROSS JOIN ${name} ON ${key.name} = hit${equal.sql}${rest.condition}`;
    return [{ text: `SELECT ${json} AS json FROM (${hits}) ${rows} ORDER BY hit LIMIT ?`, parameters }];
  }
  const walk = `FROM ${name} WHERE ${later(key.name)} ORDER BY ${key.name} LIMIT ${WALK}`;
  const page = `ORDER BY ${key.name} LIMIT ?`;
  const end = `SELECT max(${key.name}) FROM (SELECT ${key.name} ${walk}) AS walked`;
  const texts = [
    `SELECT ${json} AS json FROM (SELECT * ${walk}) AS walked WHERE ${condition}${equal.sql} ${page}`,
    // OFFSET 0 keeps PostgreSQL from reading in key order instead of using the index.
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
  const { condition, parameters, rest } = indexedFilterOf(table, search);
  const equal = equationsOf(equations);
  const hits = `(SELECT rowid AS hit FROM ${search.index} WHERE ${condition})`;
  const filters = equal.sql + rest.condition;
  const joined = filters && ` CROSS JOIN ${name} ON ${key.name} = hit${filters}`;
  const from = isPostgres ? `${name} WHERE ${condition}${filters}` : hits + joined;
  const text = `SELECT count(*) AS count FROM ${from}`;
  return { text, parameters: [...parameters, ...equal.values, ...rest.parameters] };
}

function equationsOf(equal: readonly Equation[]) {
  return {
    sql: equal.map(([{ name }]) => ` AND ${name} = ?`).join(''),
    values: equal.map(([{ encode }, value]) => encode(value)),
  };
}

/** The rows that have all words, by the index; on SQLite, `rest` has the words that it cannot find. */
function indexedFilterOf<Row extends ObjectLiteral>(
  table: Table<Row>,
  search: Search,
): RowFilter & { readonly rest: RowFilter } {
  if (table.isPostgres) return { ...filterOf(table, search), rest: { condition: '', parameters: [] } };
  const [indexed, others] = [true, false].map((isIndexed) =>
    search.words.filter((word) => word.isIndexed === isIndexed),
  );
  const query = indexed?.map((word) => word.query).join(' AND ');
  const { condition, parameters } = filterOf(table, { ...search, words: others ?? [] });
  const rest = { condition: condition && ` AND ${condition}`, parameters };
  return { condition: `${search.index} MATCH ?`, parameters: [query], rest };
}
