import type { ObjectLiteral } from 'typeorm';
import type { Column, Key, Table } from './table.js';

/** A text with its parameters. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** A change of one row. */
export interface Change<Row> {
  readonly before: Row;
  readonly after: Row;
}

/** The numbers of rows for which there are texts. A statement for another number repeats its first row. */
const SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/**
 * The statements on a few rows of a table, which SQLite and PostgreSQL take alike.
 *
 * There are few texts, and the database prepares each once. A statement decides and writes as a transaction of its own. It
 * names the keys of its rows, so that a distributed engine knows where they are.
 */
export class Statements<Row extends ObjectLiteral> {
  private readonly texts = new Map<string, string>();

  constructor(private readonly table: Table<Row>) {}

  /** Inserts the rows that break no rule of uniqueness, and returns their keys. Of one key the first row wins. */
  insert(rows: readonly Row[]): Statement {
    return this.statement(
      'insert',
      rows.map((row) => encode(this.table.columns, row)),
      TEXTS.insert,
    );
  }

  /** Inserts a row if its key is free; the database refuses it if it breaks another rule. */
  insertOne(row: Row): Statement {
    return this.statement('insert one', [encode(this.table.columns, row)], (table, ...place) =>
      TEXTS.insert(table, ...place).replace('ON CONFLICT', `ON CONFLICT (${table.key.name})`),
    );
  }

  /** Changes rows that are still as they were, and returns their keys. */
  update(changes: readonly Change<Row>[]): Statement {
    const { key, others } = this.table;
    return this.statement(
      'update',
      changes.map(({ before, after }) => [
        ...encode([key], before),
        ...encode(others, before),
        ...encode(others, after),
      ]),
      TEXTS.update,
    );
  }

  /** Deletes rows that are still as they were, and returns their keys. */
  delete(rows: readonly Row[]): Statement {
    const { key, others } = this.table;
    return this.statement(
      'delete',
      rows.map((row) => [...encode([key], row), ...encode(others, row)]),
      TEXTS.delete,
    );
  }

  /** Finds the rows with these keys, in any order. */
  find(keys: readonly Key[]): Statement {
    return this.statement(
      'find',
      keys.map((key) => [this.table.key.encode(key)]),
      TEXTS.find,
    );
  }

  /** Finds which of these keys are there for a column to refer to, as texts. */
  findReferenced({ property, reference, encode: encodeKey }: Column, keys: readonly Key[]): Statement {
    const write: WriteText = (_table, size, parameter) =>
      `SELECT CAST(${reference?.key} AS TEXT) AS "key" FROM ${reference?.table} WHERE ${reference?.key} IN (${times(size, parameter)})`;
    return this.statement(
      `find ${property}`,
      keys.map((key) => [encodeKey(key)]),
      write,
    );
  }

  /** @param rows the parameters of each row, the key first. */
  private statement(kind: string, rows: readonly unknown[][], write: WriteText): Statement {
    const size = SIZES.find((candidate) => candidate >= rows.length) ?? rows.length;
    const filled = [...rows, ...Array.from({ length: size - rows.length }, () => rows[0] ?? [])];
    const keys = kind === 'update' || kind === 'delete' ? filled.map(([key]) => key) : [];
    const name = `${kind} ${size}`;
    let text = this.texts.get(name);
    if (text === undefined) {
      let count = 0;
      text = write(this.table, size, () => (this.table.isPostgres ? `$${(count += 1)}` : '?'));
      this.texts.set(name, text);
    }
    return { text, parameters: [...filled.flat(), ...keys] };
  }
}

function encode(columns: readonly Column[], row: ObjectLiteral): unknown[] {
  return columns.map(({ property, encode: encodeValue }) => encodeValue(row[property]));
}

/** Writes the text of a statement on so many rows; `parameter` writes the next placeholder. */
type WriteText = (table: AnyTable, size: number, parameter: () => string) => string;

/** What a text has to know of a table. */
type AnyTable = Pick<Table<ObjectLiteral>, 'name' | 'key' | 'columns' | 'others'>;

const TEXTS = {
  insert: ({ name, key, columns }, size, parameter) => {
    const names = columns.map((column) => column.name).join();
    const rows = times(size, () => `(${times(columns.length, parameter)})`);
    return `INSERT INTO ${name} (${names}) VALUES ${rows} ON CONFLICT DO NOTHING RETURNING ${selectOf(key)}`;
  },
  update: (table, size, parameter) => {
    const { name, key, others } = table;
    const rows = typedRows([key, ...others, ...others], size, parameter);
    const changes = others.map(
      (column, index) => `${column.name} = input.column${index + 2 + others.length}`,
    );
    return (
      `UPDATE ${name} SET ${changes.join()} FROM ${rows} WHERE ${isAsBefore(table)} ` +
      `AND ${name}.${key.name} IN (${times(size, parameter)}) RETURNING ${selectOf(key, `${name}.`)}`
    );
  },
  delete: (table, size, parameter) => {
    const { name, key, others } = table;
    const rows = typedRows([key, ...others], size, parameter);
    return (
      `DELETE FROM ${name} WHERE EXISTS (SELECT 1 FROM ${rows} WHERE ${isAsBefore(table)}) ` +
      `AND ${key.name} IN (${times(size, parameter)}) RETURNING ${selectOf(key)}`
    );
  },
  find: ({ name, key, columns }, size, parameter) =>
    `SELECT ${columns.map((column) => selectOf(column)).join()} FROM ${name} WHERE ${key.name} IN (${times(size, parameter)})`,
} satisfies Record<string, WriteText>;

/** Whether a row of the table is as a row of the input says, which has the key and all other columns first. */
function isAsBefore({ name, key, others }: AnyTable): string {
  return [
    `input.column1 = ${name}.${key.name}`,
    ...others.map((column, index) => `${name}.${column.name} IS NOT DISTINCT FROM input.column${index + 2}`),
  ].join(' AND ');
}

/** Rows of parameters, of which both databases call the columns `column1` and so on. The first row tells their types. */
function typedRows(columns: readonly Column[], size: number, parameter: () => string): string {
  const first = columns.map(({ type }) => `CAST(${parameter()} AS ${type})`).join();
  const rows = Array.from({ length: size - 1 }, () => `(${times(columns.length, parameter)})`);
  return `(VALUES ${[`(${first})`, ...rows].join()}) AS input`;
}

function times(count: number, write: () => string): string {
  return Array.from({ length: count }, write).join();
}

/** A column of a result under the name of its property. An int64 comes as text: a JavaScript number would round it. */
export function selectOf({ name, type, property }: Column, prefix = ''): string {
  return type === 'BIGINT'
    ? `CAST(${prefix}${name} AS TEXT) AS "${property}"`
    : `${prefix}${name} AS "${property}"`;
}
