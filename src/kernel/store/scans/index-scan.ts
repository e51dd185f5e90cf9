import type { ObjectLiteral } from 'typeorm';
import { INT64_MIN } from '../../validation/decorators.js';
import type { Statement } from '../queries.js';
import type { Column, Table } from '../table.js';

/** A column of an index: a property of the entity, or the first characters of one. */
export type IndexColumn = string | { readonly first: number; readonly of: string };

/** Rows in the order of an index whose last column is the key. Texts are compared byte by byte (`COLLATE "C"`). */
export interface IndexScan {
  readonly order: readonly IndexColumn[];
  readonly isDescending?: boolean;
  /** The values of the first columns. */
  readonly equal?: readonly unknown[];
  /** The prefix of the next column, which must be a `{ first, of }` column. */
  readonly prefix?: string | undefined;
  /** The least and the greatest value of the next column, instead of a prefix. Both are in the range. */
  readonly least?: unknown;
  readonly greatest?: unknown;
  /** Keyset cursor: the last row's values after the `equal` columns. They are within the bounds. */
  readonly after?: readonly unknown[] | undefined;
  /** Keeps only matching rows. A list walks through all rows of the range to find them. */
  readonly filter?: RowFilter | undefined;
  /** Read instead of an index. The order is then that of the key, after the equal columns. */
  readonly source?: ListSource | undefined;
}

/** A condition of SQL on the columns of a row. */
export interface RowFilter {
  readonly condition: string;
  readonly parameters: readonly unknown[];
}

/** A column of the table and the value that it must equal. */
export type Equation = readonly [Column, unknown];

/** Finds the rows of a list by other means than an index. */
export interface ListSource {
  /**
   * Statements that select the JSON of the rows after a key, in key order. Each is needed only if those before it find too few
   * rows.
   */
  read(after: unknown, equal: readonly Equation[], limit: number): Statement[];
  count(equal: readonly Equation[]): Statement;
}

/** Without `+`, SQLite plans the statement anew for each value: it might choose another index (`SQLITE_ENABLE_STAT4`). */
function placeholderOf({ isPostgres }: { readonly isPostgres: boolean }): string {
  return isPostgres ? '?' : '+?';
}

export function indexedValue(indexed: IndexColumn, row: ObjectLiteral): unknown {
  if (typeof indexed === 'string') return row[indexed];
  const text = row[indexed.of] as string | null;
  if (text === null) return null;
  // A character takes two units of a string at most.
  return Array.from(text.slice(0, 2 * indexed.first))
    .slice(0, indexed.first)
    .join('');
}

/** The place of a row of a result in its range: the values of the columns after the equal ones. */
export function positionOf(
  table: Table<ObjectLiteral>,
  { order, equal = [] }: IndexScan,
  stored: ObjectLiteral,
): unknown[] {
  return order.slice(equal.length).map((indexed) => {
    const { property, decode } = columnOf(table, indexed);
    return indexedValue(indexed, { [property]: decode(stored[property] ?? null) });
  });
}

/** The bounds of the column after the equal ones. */
export function boundsOf(scan: IndexScan): { readonly least: unknown; readonly greatest: unknown } {
  const { prefix, least = prefix, greatest } = scan;
  return { least, greatest: prefix === undefined ? greatest : lastWith(prefix, scan) };
}

/** Compares values of a column as an index does: texts by the bytes of their UTF-8 (`COLLATE "C"`), a `Date` by its time. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.from(a).compare(Buffer.from(b));
  const [one, other] = [a, b] as [number, number];
  return Number(one > other) - Number(one < other);
}

/** Separates rows in a text of JSON. No JSON of a row contains a newline. */
export const SEPARATOR = ',\n';

/** Rows as one text: the JSON of each, joined by separators. */
export interface RowsAsJson {
  readonly text: string;
  readonly count: number;
  /** The JSON of the row after which the list goes on; undefined at the end of the range. */
  readonly end?: string | undefined;
}

const AS_TEXT = `string_agg(json, '${SEPARATOR}') AS text`;

/** The last row of a text of rows. */
export function lastOf(text: string): string {
  const end = text.lastIndexOf(SEPARATOR);
  return end === -1 ? text : text.slice(end + SEPARATOR.length);
}

/** Merges lists, each in the order of a range, into the first rows of all of them. A single list stays as it is. */
export function mergeSorted(
  table: Table<ObjectLiteral>,
  scan: IndexScan,
  limit: number,
  lists: readonly RowsAsJson[],
): RowsAsJson {
  if (lists.length === 1) return lists[0] as RowsAsJson;
  const placed = (text: string) =>
    text.split(SEPARATOR).map((json) => ({ json, position: positionOf(table, scan, table.parse(json)) }));
  const order = (a: { readonly position: unknown[] }, b: { readonly position: unknown[] }) => {
    const orders = a.position.map((value, index) => compare(value, b.position[index]));
    const first = orders.find((found) => found !== 0) ?? 0;
    return scan.isDescending ? -first : first;
  };
  const all = lists.flatMap(({ count, text }) => (count === 0 ? [] : placed(text))).toSorted(order);
  const [end] = lists.flatMap((list) => (list.end === undefined ? [] : placed(list.end))).toSorted(order);
  // A list that ends earlier may have unread rows before those after its end.
  const known = all.filter((row) => end === undefined || order(row, end) <= 0);
  const rows = known.slice(0, limit).map(({ json }) => json);
  return {
    text: rows.join(SEPARATOR),
    count: rows.length,
    end: rows.length >= limit ? rows.at(-1) : end?.json,
  };
}

/**
 * The statements that read a range as `RowsAsJson`, whose text is null if there are no rows. Each is needed only if those before
 * it find too few rows.
 *
 * @param limit the number of rows to find; on PostgreSQL there may be up to three more.
 * @param from replaces the table in the FROM clause.
 */
export function scanStatements(
  table: Table<ObjectLiteral>,
  scan: IndexScan,
  limit: number,
  from?: string,
): Statement[] {
  const { source, after } = scan;
  const selected =
    source === undefined
      ? selects(table, scan, limit, from)
      : source.read(after?.[0], equationsOf(table, scan), limit);
  return selected.map(({ text, parameters }) => ({
    text: `SELECT ${AS_TEXT}, count(*) AS count FROM (${text}) AS found`,
    parameters,
  }));
}

function selects(
  table: Table<ObjectLiteral>,
  scan: IndexScan,
  limit: number,
  from: string | undefined,
): Statement[] {
  return clausesOf(table, scan).map(({ where, order, parameters }) => {
    const select = `SELECT ${table.json} AS json FROM ${from ?? table.name} ${where} ${order}`;
    if (table.isPostgres) return { text: `${select} LIMIT ${roundedUp(limit)}`, parameters };
    return { text: `${select} LIMIT ${placeholderOf(table)}`, parameters: [...parameters, limit] };
  });
}

/**
 * The statements that read the next rows of a range and return those that pass its filter, as `RowsAsJson`. A statement that reads
 * `walked` rows returns the last of them as `end`. One that reads fewer has no `end`, and the next statement goes on.
 *
 * @param walked the number of rows that each reads, a power of two.
 * @param limit the number of rows to find; an infinite number is only counted.
 */
export function walkStatements(
  table: Table<ObjectLiteral>,
  { filter, ...scan }: IndexScan,
  walked: number,
  limit: number,
  from = table.name,
): Statement[] {
  const { condition = 'true', parameters: wanted = [] } = filter ?? {};
  const [found, json, page] =
    limit === Infinity
      ? ['NULL AS text', '1', '']
      : [AS_TEXT, `${table.json} AS json`, `LIMIT ${roundedUp(limit)}`];
  return clausesOf(table, scan).map(({ where, order, parameters }) => {
    const rows = `(SELECT * FROM ${from} ${where} ${order} LIMIT`;
    // The outer query asks for the JSON: otherwise, PostgreSQL writes it even for the rows that OFFSET skips.
    const text =
      `SELECT ${found}, count(*) AS count, (SELECT ${table.json} FROM ${rows} 1 OFFSET ${walked - 1}) AS ${table.name}) AS "end" ` +
      `FROM (SELECT ${json} FROM ${rows} ${walked}) AS ${table.name} WHERE ${condition} ${page}) AS found`;
    return { text, parameters: [...parameters, ...parameters, ...wanted] };
  });
}

/**
 * A limit for the text of a statement. PostgreSQL plans a statement anew for each limit that is a parameter, because it estimates that
 * a plan for any limit reads a tenth of the table. That takes as long as to read a page. Rounded up, limits make few texts, each of
 * which is planned once. A page selects one row more than it has, and usual sizes of pages are multiples of four.
 */
function roundedUp(limit: number): number {
  return 4 * Math.ceil((limit - 1) / 4) + 1;
}

/** @param from replaces the table in the FROM clause. */
export function countStatement(table: Table<ObjectLiteral>, scan: IndexScan, from = table.name): Statement {
  if (scan.source !== undefined) return scan.source.count(equationsOf(table, scan));
  // Without an order, equations do not mislead PostgreSQL: it knows how frequent a tag is.
  const [clauses] = clausesOf(table, { ...scan, after: undefined }, false);
  const text = `SELECT count(*) AS count FROM ${from} ${clauses?.where}`;
  return { text, parameters: clauses?.parameters ?? [] };
}

/** A comparison of consecutive columns of the order, from the index `from` on, with encoded values. */
type Comparison = readonly [from: number, operator: string, values: readonly unknown[]];

function clausesOf(
  table: Table<ObjectLiteral>,
  scan: IndexScan,
  isOrdered = true,
): { readonly where: string; readonly order: string; readonly parameters: readonly unknown[] }[] {
  const columns = scan.order.map((column) => expression(table, column));
  // Rows without a value are in none of the indexes.
  const present = scan.order
    .map((indexed) => columnOf(table, indexed))
    .filter(({ isNullable }) => isNullable)
    .map(({ name }) => `${name} IS NOT NULL`);
  const direction = scan.isDescending ? ' DESC' : '';
  const encode = (values: readonly unknown[], from = 0) =>
    values.map((value, index) => columns[from + index]?.encode(value));
  const parts =
    table.isPostgres && isOrdered ? [postgresRange(columns, scan, encode)] : sqliteRanges(scan, encode);
  return parts.map((comparisons) => {
    const parameters = comparisons.flatMap(([, , values]) => values);
    const compared = comparisons
      .filter(([, , values]) => values.length > 0)
      .map(([from, operator, values]) => {
        const sides = columns.slice(from, from + values.length).map(({ sql }) => sql);
        return `(${sides.join()}) ${operator} (${values.map(() => placeholderOf(table)).join()})`;
      });
    const where = [...compared, ...present].join(' AND ');
    const [, , known] = comparisons.find(([, operator]) => operator === '=') ?? [0, '=', []];
    const order = columns.slice(known.length).map(({ sql }) => sql + direction);
    return { where: where && `WHERE ${where}`, order: `ORDER BY ${order.join()}`, parameters };
  });
}

interface Expression {
  readonly sql: string;
  readonly encode: (value: unknown) => unknown;
  /** The least value of its type, encoded. */
  readonly least: unknown;
}

const LEAST: Readonly<Record<string, unknown>> = {
  BIGINT: String(INT64_MIN),
  TEXT: '',
  'DOUBLE PRECISION': '-Infinity',
  BOOLEAN: false,
};

type Encode = (values: readonly unknown[], from?: number) => unknown[];

/**
 * PostgreSQL gets one comparison of rows for each end, and no equations. With an equation, it considers other indexes to have the
 * same order: if it estimates that a tag is frequent, it walks through all ids. It also does not see that both ends bound one
 * column: without statistics, it estimates that few rows lie between them, and sorts all of them.
 */
function postgresRange(columns: readonly Expression[], scan: IndexScan, encode: Encode): Comparison[] {
  const { equal = [], after, isDescending } = scan;
  const bounds = boundsOf(scan);
  const first = bounds.least === undefined ? equal : [...equal, bounds.least];
  const last = bounds.greatest === undefined ? equal : [...equal, bounds.greatest];
  const next = first.length === 0 ? [] : columns.slice(first.length, first.length + 1);
  const least: Comparison = [0, '>=', [...encode(first), ...next.map((column) => column.least)]];
  const greatest: Comparison = [0, '<=', encode(last)];
  if (after === undefined) return [least, greatest];
  const place = encode([...equal, ...after]);
  return isDescending ? [least, [0, '<', place]] : [[0, '>', place], greatest];
}

/**
 * SQLite uses an index for equations and one inequality, but not for more of a row comparison. So the rows after (a, b) are those
 * with (a, > b), then those with (> a).
 */
function sqliteRanges(scan: IndexScan, encode: Encode): Comparison[][] {
  const { equal = [], after, isDescending } = scan;
  const bounds = boundsOf(scan);
  const count = equal.length;
  const bound = (operator: string, value: unknown, from = count): Comparison => [
    from,
    operator,
    encode([value], from),
  ];
  const least = bounds.least === undefined ? [] : [bound('>=', bounds.least)];
  const greatest = bounds.greatest === undefined ? [] : [bound('<=', bounds.greatest)];
  if (after === undefined) return [[[0, '=', encode(equal)], ...least, ...greatest]];
  const end = isDescending ? least : greatest;
  const ranges = after.map((value, index): Comparison[] => {
    const known: Comparison = [0, '=', encode([...equal, ...after.slice(0, index)])];
    return [known, bound(isDescending ? '<' : '>', value, count + index)];
  });
  ranges[0]?.push(...end);
  return ranges.toReversed();
}

/** The greatest text in the index that begins with a prefix. */
function lastWith(prefix: string, { order, equal = [] }: IndexScan): string {
  const indexed = order[equal.length];
  return prefix + '\u{10FFFF}'.repeat(typeof indexed === 'object' ? indexed.first : 0);
}

function expression(table: Table<ObjectLiteral>, indexed: IndexColumn): Expression {
  const { name, type, encode } = columnOf(table, indexed);
  // With the name of the table: a column of the result may have the same name.
  const column = `${table.name}.${name}`;
  const sql = typeof indexed === 'string' ? column : `substr(${column}, 1, ${indexed.first})`;
  const isCollated = type === 'TEXT' && table.isPostgres;
  return { sql: isCollated ? `${sql} COLLATE "C"` : sql, encode, least: LEAST[type] };
}

function equationsOf(table: Table<ObjectLiteral>, { order, equal = [] }: IndexScan): Equation[] {
  return order.slice(0, equal.length).map((indexed, index) => [columnOf(table, indexed), equal[index]]);
}

export function columnOf(table: Table<ObjectLiteral>, indexed: IndexColumn): Column {
  return table.column(typeof indexed === 'string' ? indexed : indexed.of);
}
