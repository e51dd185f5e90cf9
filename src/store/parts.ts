import type { ObjectLiteral } from 'typeorm';
import type { Part } from '../features/citus/cluster.js';
import { compare, positionOf, type Range, rangeStatements, type RowsAsJson, SEPARATOR } from './range.js';
import type { Table } from './table.js';

/**
 * Reads the first rows of a range from the shards of each worker, and merges them: five times as fast as Citus, which asks each
 * shard by itself. Undefined when a shard has moved.
 */
export async function readParts<Row extends ObjectLiteral>(
  table: Table<Row>,
  range: Range,
  limit: number,
  parts: readonly Part[],
): Promise<RowsAsJson | undefined> {
  // There are few texts, which are planned once.
  const size = 2 ** Math.ceil(Math.log2(limit));
  const texts = await Promise.all(
    parts.map(async (part) => {
      const [statement] = rangeStatements(table, range, size, `${part.rows} AS ${table.name}`);
      const found =
        statement && (await part.query<RowsAsJson>(statement.text, statement.parameters, 'count'));
      return found && (found[0]?.text ?? '');
    }),
  );
  if (texts.includes(undefined)) return undefined;
  const queues = texts.filter((text) => text).map((text) => new Queue(table, range, String(text)));
  const rows: string[] = [];
  while (rows.length < limit && queues.length > 0) {
    const first = queues.reduce((least, queue) => (queue.isBefore(least) ? queue : least));
    rows.push(first.shift());
    if (first.isEmpty) queues.splice(queues.indexOf(first), 1);
  }
  return { text: rows.join(SEPARATOR), count: rows.length };
}

/** The rows of a worker in the order of a range. */
class Queue<Row extends ObjectLiteral> {
  private readonly rows: string[];
  private next = 0;
  private place: readonly unknown[];

  constructor(
    private readonly table: Table<Row>,
    private readonly range: Range,
    text: string,
  ) {
    this.rows = text.split(SEPARATOR);
    this.place = this.placeOfNext();
  }

  get isEmpty(): boolean {
    return this.next === this.rows.length;
  }

  shift(): string {
    const row = this.rows[this.next] as string;
    this.next += 1;
    if (!this.isEmpty) this.place = this.placeOfNext();
    return row;
  }

  isBefore(other: Queue<Row>): boolean {
    const orders = this.place.map((value, index) => compare(value, other.place[index]));
    const order = orders.find((found) => found !== 0) ?? 0;
    return this.range.isDescending ? order > 0 : order < 0;
  }

  private placeOfNext(): readonly unknown[] {
    return positionOf(this.table, this.range, this.table.parse(this.rows[this.next] as string));
  }
}
