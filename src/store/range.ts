import type { ObjectLiteral } from 'typeorm';
import { INT64_MIN } from '../validation/decorators.js';
import { selectOf, type Statement } from './statements.js';
import type { Column, Table } from './table.js';

/** A column of an index: a property of the entity, or its first characters. */
export type IndexColumn = string | { readonly first: number; readonly of: string };

/** Rows in the order of an index, of which the last column is the key. Texts are compared byte by byte (`COLLATE "C"`). */
export interface Range {
  readonly order: readonly IndexColumn[];
  /** Whether the order is the opposite one. */
  readonly isDescending?: boolean;
  /** What the first columns are equal to. */
  readonly equal?: readonly unknown[];
  /** What the next column begins with. */
  readonly prefix?: string | undefined;
  /** Where to go on: the values that the columns behind the equal ones have in the row before. */
  readonly after?: readonly unknown[] | undefined;
}

const GREATEST = '\u{10FFFF}';

/** What a column of an index has of a row; null when the row has no value there. */
export function placeOf(indexed: IndexColumn, row: ObjectLiteral): unknown {
  if (typeof indexed === 'string') return row[indexed];
  const text = row[indexed.of] as string | null;
  if (text === null) return null;
  // A character takes two units of a string at most.
  return Array.from(text.slice(0, 2 * indexed.first))
    .slice(0, indexed.first)
    .join('');
}

/** Where a row of a result is in its range: the values of the columns behind the equal ones. */
export function positionOf<Row extends ObjectLiteral>(
  table: Table<Row>,
  { order, equal = [] }: Range,
  found: ObjectLiteral,
): unknown[] {
  return order.slice(equal.length).map((indexed) => {
    const { property, decode } = columnOf(table, indexed);
    return placeOf(indexed, { [property]: decode(found[property]) });
  });
}

/**
 * The statements that read a range, one after the other as long as there are too few rows: each reads one range of the
 * index from its beginning.
 */
export function rangeStatements<Row extends ObjectLiteral>(
  table: Table<Row>,
  range: Range,
  limit: number,
): Statement[] {
  const selected = table.columns.map((column) => selectOf(column)).join();
  return clausesOf(table, range).map(({ where, order, parameters }) => ({
    text: `SELECT ${selected} FROM ${table.name} ${where} ${order} LIMIT ${table.isPostgres ? `$${parameters.length + 1}` : '?'}`,
    parameters: [...parameters, limit],
  }));
}

/** The statements that count the rows of one range of the index. */
export interface CountStatements {
  /** Finds where the last of so many rows is, if there are so many; undefined where all may be counted at once. */
  readonly end: Statement | undefined;
  readonly count: Statement;
}

/**
 * The statements that count a range, in the same order. SQLite reads nothing but the index.
 *
 * PostgreSQL counts in one statement, which nobody waits for; in slices it would sort.
 */
export function countStatements<Row extends ObjectLiteral>(
  table: Table<Row>,
  range: Range,
  length: number,
): CountStatements[] {
  const columns = range.order.map((indexed) => {
    const { property, type } = columnOf(table, indexed);
    const { sql } = expression(table, indexed);
    return `${type === 'BIGINT' ? `CAST(${sql} AS TEXT)` : sql} AS "${property}"`;
  });
  return clausesOf(table, range).map(({ where, order, parameters }) => {
    const select = (selected: readonly string[]) => `SELECT ${selected.join()} FROM ${table.name} ${where}`;
    const end = `${select(columns)} ${order} LIMIT 1 OFFSET ${length - 1}`;
    return {
      end: table.isPostgres ? undefined : { text: end, parameters },
      count: { text: select(['count(*) AS count']), parameters },
    };
  });
}

/** SQL for one range of the index. */
interface Clauses {
  readonly where: string;
  readonly order: string;
  readonly parameters: readonly unknown[];
}

function clausesOf<Row extends ObjectLiteral>(table: Table<Row>, range: Range): Clauses[] {
  const { prefix, after, isDescending = false } = range;
  const place = String(after?.[0]);
  // A place that does not begin as the range does is in front of it or behind.
  if (prefix !== undefined && after !== undefined && !place.startsWith(prefix)) {
    const isBefore = Buffer.compare(Buffer.from(place), Buffer.from(prefix)) < 0;
    return isBefore === isDescending ? [] : clausesOf(table, { ...range, after: undefined });
  }
  const columns = range.order.map((column) => expression(table, column));
  return (table.isPostgres ? [postgresRange(columns, range)] : sqliteRanges(columns, range)).map(
    ({ conditions, order }) => {
      const parameters: unknown[] = [];
      const placed = (value: unknown) => {
        parameters.push(value);
        return table.isPostgres ? `$${parameters.length}` : '?';
      };
      const where = [...conditions.map((condition) => condition(placed)), ...present(table, range.order)];
      const direction = range.isDescending ? ' DESC' : '';
      return {
        where: where.length > 0 ? `WHERE ${where.join(' AND ')}` : '',
        order: `ORDER BY ${order.map((column) => column + direction).join()}`,
        parameters,
      };
    },
  );
}

/** What makes a part of the index, and the columns by which that is in order. */
interface Part {
  readonly conditions: readonly Condition[];
  readonly order: readonly string[];
}

/** SQL for a condition; `placed` makes a parameter of a value. */
type Condition = (placed: (value: unknown) => string) => string;

/** A column as it is compared and sorted, and the way its values are passed. */
interface Expression {
  readonly sql: string;
  readonly isText: boolean;
  readonly encode: (value: unknown) => unknown;
  /** No value is less than this one, as it is passed. */
  readonly least: unknown;
}

/** The least value of each type. */
const LEAST: Readonly<Record<string, unknown>> = {
  BIGINT: String(INT64_MIN),
  TEXT: '',
  'DOUBLE PRECISION': '-Infinity',
  BOOLEAN: false,
};

/**
 * PostgreSQL gets one range of rows. Equations, of which this has none, would let it believe that other indexes have the
 * same order: if it takes a tag for a frequent one, it walks through all ids. Nor does it see that both ends are of one
 * column: as long as it has no statistics, it takes what is between two values for so little that it sorts all of that.
 */
function postgresRange(columns: readonly Expression[], range: Range): Part {
  const { equal = [], prefix, after, isDescending } = range;
  const encode = (values: readonly unknown[]) => values.map((value, index) => columns[index]?.encode(value));
  const compare = (operator: string, values: readonly unknown[]): Condition[] => {
    const compared = columns.slice(0, values.length).map(({ sql }) => sql);
    if (values.length === 0) return [];
    return [(placed) => `(${compared.join()}) ${operator} (${values.map(placed).join()})`];
  };
  const first = encode(prefix === undefined ? equal : [...equal, prefix]);
  const rest = first.length === 0 ? [] : columns.slice(first.length, first.length + 1);
  const least = compare('>=', [...first, ...rest.map((column) => column.least)]);
  const next = prefix === undefined ? undefined : successor(prefix);
  const greatest = next === undefined ? compare('<=', encode(equal)) : compare('<', encode([...equal, next]));
  const place = after && compare(isDescending ? '<' : '>', encode([...equal, ...after]));
  const conditions = isDescending ? [...least, ...(place ?? greatest)] : [...(place ?? least), ...greatest];
  return { conditions, order: columns.map(({ sql }) => sql) };
}

/**
 * SQLite looks up equations and one inequality in an index, and no more of a comparison of rows. What comes after (a, b) is
 * (a, more than b), and then (more than a).
 */
function sqliteRanges(columns: readonly Expression[], range: Range): Part[] {
  const { equal = [], prefix, after = [], isDescending } = range;
  const compare =
    (index: number, operator: string, value: unknown): Condition =>
    (placed) =>
      `${columns[index]?.sql} ${operator} ${placed(columns[index]?.encode(value))}`;
  const equals = (values: readonly unknown[]) => values.map((value, index) => compare(index, '=', value));
  const next = prefix === undefined ? undefined : successor(prefix);
  const least = prefix === undefined ? [] : [compare(equal.length, '>=', prefix)];
  const greatest = next === undefined ? [] : [compare(equal.length, '<', next)];
  const orderFrom = (index: number) => columns.slice(index).map(({ sql }) => sql);
  if (after.length === 0)
    return [{ conditions: [...equals(equal), ...least, ...greatest], order: orderFrom(equal.length) }];
  return after
    .map((value, place): Part => {
      const index = equal.length + place;
      const known = [...equal, ...after.slice(0, place)];
      const beyond = compare(index, isDescending ? '<' : '>', value);
      const end = isDescending ? least : greatest;
      return {
        conditions: [...equals(known), beyond, ...(place === 0 ? end : [])],
        order: orderFrom(index),
      };
    })
    .toReversed();
}

function expression<Row extends ObjectLiteral>(table: Table<Row>, indexed: IndexColumn): Expression {
  const { name, type, encode } = columnOf(table, indexed);
  // With its table: an int64 is in the result under the same name, as text, and would be sorted as that.
  const column = `${table.name}.${name}`;
  const sql = typeof indexed === 'string' ? column : `substr(${column}, 1, ${indexed.first})`;
  const isText = type === 'TEXT';
  return { sql: isText && table.isPostgres ? `${sql} COLLATE "C"` : sql, isText, encode, least: LEAST[type] };
}

/** The column of the table that a column of an index is made of. */
export function columnOf<Row extends ObjectLiteral>(table: Table<Row>, indexed: IndexColumn): Column {
  return table.column(typeof indexed === 'string' ? indexed : indexed.of);
}

/** Rows without a value are in none of the indexes. */
function present<Row extends ObjectLiteral>(table: Table<Row>, order: readonly IndexColumn[]): string[] {
  return order
    .map((indexed) => columnOf(table, indexed))
    .filter(({ isNullable }) => isNullable)
    .map(({ name }) => `${name} IS NOT NULL`);
}

/** The least text that is greater than every one that begins like this; undefined when there is none. */
function successor(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  const last = characters.findLastIndex((character) => character !== GREATEST);
  if (last === -1) return undefined;
  const next = (characters[last]?.codePointAt(0) ?? 0) + 1;
  // Behind U+D7FF come the surrogates, which are no characters.
  return characters.slice(0, last).join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
}
