import type { ObjectLiteral } from 'typeorm';
import type { Statement } from './queries.js';
import type { Column, Key, Table } from './table.js';

export interface Update<Row> {
  readonly before: Row;
  readonly after: Row;
}

/** The numbers of rows for which texts are written. A statement for fewer rows repeats its first row. */
const SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/**
 * The statements on a few rows of a table, which SQLite and PostgreSQL take alike.
 *
 * There are few texts, and the database prepares each once. Each statement decides and writes in a transaction of its own, and
 * names the keys of its rows, so that a distributed engine knows where they are.
 */
export class Statements<Row extends ObjectLiteral> {
  private readonly texts = new Map<string, string>();

  constructor(private readonly table: Table<Row>) {}

  /** Inserts the rows that break no rule of uniqueness, and returns their keys. Of rows with the same key, the first wins. */
  insert(rows: readonly Row[]): Statement {
    return this.insertOr(' ON CONFLICT DO NOTHING', rows);
  }

  /** Inserts one row. The database refuses it if it breaks a rule. */
  insertAlone(row: Row): Statement {
    return this.insertOr('', [row]);
  }

  /** Changes rows that are still as they were, and returns their keys. */
  update(updates: readonly Update<Row>[]): Statement {
    const { name, key, others } = this.table;
    const rows = updates.map(({ before, after }) => [
      ...encode([key, ...others], before),
      ...encode(others, after),
    ]);
    return this.statement('update', rows, keysOf(rows), (size) => {
      const input = typedRows([key, ...others, ...others], size);
      const set = others.map((column, index) => `${column.name} = input.column${index + 2 + others.length}`);
      return (
        `UPDATE ${name} SET ${set.join()} FROM ${input} WHERE ${this.isAsBefore()} ` +
        `AND ${name}.${key.name} IN (${times(size)}) RETURNING ${selectOf(key, `${name}.`)}`
      );
    });
  }

  /** Deletes rows that are still as they were, and returns their keys. */
  delete(deleted: readonly Row[]): Statement {
    const { name, key, others } = this.table;
    const rows = deleted.map((row) => encode([key, ...others], row));
    return this.statement('delete', rows, keysOf(rows), (size) => {
      const input = typedRows([key, ...others], size);
      return (
        `DELETE FROM ${name} WHERE EXISTS (SELECT 1 FROM ${input} WHERE ${this.isAsBefore()}) ` +
        `AND ${key.name} IN (${times(size)}) RETURNING ${selectOf(key)}`
      );
    });
  }

  /**
   * Finds the rows with these keys, in any order.
   *
   * @param from replaces the table in the FROM clause.
   */
  find(keys: readonly Key[], from = ''): Statement {
    const { name, key, columns } = this.table;
    const rows = keys.map((value) => [key.encode(value)]);
    return this.statement(`find ${from}`, rows, [], (size) => {
      const selected = columns.map((column) => selectOf(column)).join();
      return `SELECT ${selected} FROM ${from || name} WHERE ${key.name} IN (${times(size)})`;
    });
  }

  private insertOr(onConflict: string, inserted: readonly Row[]): Statement {
    const { name, key, columns } = this.table;
    const rows = inserted.map((row) => encode(columns, row));
    return this.statement(`insert${onConflict}`, rows, [], (size) => {
      const names = columns.map((column) => column.name).join();
      const values = times(size, `(${times(columns.length)})`);
      return `INSERT INTO ${name} (${names}) VALUES ${values}${onConflict} RETURNING ${selectOf(key)}`;
    });
  }

  /** @param write writes the text for a number of rows. */
  private statement(
    kind: string,
    rows: readonly unknown[][],
    keys: readonly unknown[],
    write: (size: number) => string,
  ): Statement {
    const size = SIZES.find((candidate) => candidate >= rows.length) ?? rows.length;
    const fill = <Item>(items: readonly Item[]) =>
      items.concat(Array.from({ length: size - items.length }, () => items[0] as Item));
    const name = `${kind} ${size}`;
    let text = this.texts.get(name);
    if (text === undefined) this.texts.set(name, (text = write(size)));
    return { text, parameters: [...fill(rows).flat(), ...(keys.length > 0 ? fill(keys) : [])] };
  }

  /** A condition: a row of the table equals the row before in the input, whose first columns are the key and all others. */
  private isAsBefore(): string {
    const { name, key, others } = this.table;
    return [
      `input.column1 = ${name}.${key.name}`,
      ...others.map(
        (column, index) => `${name}.${column.name} IS NOT DISTINCT FROM input.column${index + 2}`,
      ),
    ].join(' AND ');
  }
}

function encode(columns: readonly Column[], row: ObjectLiteral): unknown[] {
  return columns.map(({ property, encode: encodeValue }) => encodeValue(row[property]));
}

function keysOf(rows: readonly unknown[][]): unknown[] {
  return rows.map(([key]) => key);
}

/** Rows of parameters. Both databases call their columns `column1` and so on. The first row tells the types. */
function typedRows(columns: readonly Column[], size: number): string {
  const first = columns.map(({ type }) => `CAST(? AS ${type})`).join();
  const others = size === 1 ? '' : `,${times(size - 1, `(${times(columns.length)})`)}`;
  return `(VALUES (${first})${others}) AS input`;
}

function times(count: number, text = '?'): string {
  return Array.from({ length: count }, () => text).join();
}

/** Selects a column under the name of its property, an int64 as text: a JavaScript number would round it. */
function selectOf({ name, type, property }: Column, prefix = ''): string {
  return type === 'BIGINT'
    ? `CAST(${prefix}${name} AS TEXT) AS "${property}"`
    : `${prefix}${name} AS "${property}"`;
}
