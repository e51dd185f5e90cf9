import type { ObjectLiteral } from 'typeorm';
import { compare, positionOf, type IndexScan, type RowsAsJson, SEPARATOR } from './index-scan.js';
import type { Table } from '../table.js';

/** Merges lists, each in the order of a range, into the first rows of all of them. A single list stays as it is. */
export function mergeSorted<Row extends ObjectLiteral>(
  table: Table<Row>,
  scan: IndexScan,
  limit: number,
  lists: readonly RowsAsJson[],
): RowsAsJson {
  if (lists.length === 1) return lists[0] as RowsAsJson;
  const queues = lists.filter(({ count }) => count > 0).map(({ text }) => new Queue(table, scan, text));
  const ends = lists.flatMap(({ end }) => (end === undefined ? [] : [new Queue(table, scan, end)]));
  const end = ends.length === 0 ? undefined : firstOf(ends);
  const rows: string[] = [];
  while (rows.length < limit && queues.length > 0) {
    const first = firstOf(queues);
    // A list that ends earlier may have unread rows before this one.
    if (end?.isBefore(first)) break;
    rows.push(first.shift());
    if (first.isEmpty) queues.splice(queues.indexOf(first), 1);
  }
  return {
    text: rows.join(SEPARATOR),
    count: rows.length,
    end: rows.length >= limit ? rows.at(-1) : end?.shift(),
  };
}

function firstOf<Row extends ObjectLiteral>(queues: readonly Queue<Row>[]): Queue<Row> {
  return queues.reduce((least, queue) => (queue.isBefore(least) ? queue : least));
}

/** The rows of a list that are not merged yet. */
class Queue<Row extends ObjectLiteral> {
  private readonly rows: string[];
  private next = 0;
  private position: readonly unknown[];

  constructor(
    private readonly table: Table<Row>,
    private readonly scan: IndexScan,
    text: string,
  ) {
    this.rows = text.split(SEPARATOR);
    this.position = this.positionOfNext();
  }

  get isEmpty(): boolean {
    return this.next === this.rows.length;
  }

  shift(): string {
    const row = this.rows[this.next] as string;
    this.next += 1;
    if (!this.isEmpty) this.position = this.positionOfNext();
    return row;
  }

  isBefore(other: Queue<Row>): boolean {
    const orders = this.position.map((value, index) => compare(value, other.position[index]));
    const order = orders.find((found) => found !== 0) ?? 0;
    return this.scan.isDescending ? order > 0 : order < 0;
  }

  private positionOfNext(): readonly unknown[] {
    return positionOf(this.table, this.scan, this.table.parse(this.rows[this.next] as string));
  }
}
