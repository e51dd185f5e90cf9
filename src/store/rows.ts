import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { unavailable } from '../errors/api.exception.js';
import { waitFor } from '../logging/request-context.js';
import { isOvertaken, OVERTAKEN } from './database-errors.js';
import { type GroupCommit, MAX_BATCH, type Pending, submit, WriteQueue } from './group-commit.js';
import { mergeSorted } from './scans/merge.js';
import {
  countStatement,
  FIRST_ROWS,
  lastOf,
  nextLimit,
  positionOf,
  type IndexScan,
  scanStatements,
  type RowsAsJson,
  SEPARATOR,
  walkStatements,
} from './scans/index-scan.js';
import {
  ATTEMPTS,
  type Decide,
  overtakenTooOften,
  type Plan,
  RowBatcher,
  type RowDecision,
  type Written,
} from './row-batcher.js';
import { OneDatabase, type Site, type Sites } from './sites.js';
import { type Queries, run } from './queries.js';
import { inOrder, type Key, Table } from './table.js';
import { COUNT_MS, inTurn, PAGE_MS, Walk } from './scans/walk.js';

/** The maximum characters of JSON on a page, unless a single row has more. */
export const PAGE_LENGTH = 1_048_576;

/** The maximum number of rows of a page that one statement reads, and about how many characters of large rows. */
const MAX_ROWS = 128;
const STATEMENT_LENGTH = 524_288;

/** The rows of one entity, wherever they are. */
export class Rows<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly batchers = new WeakMap<Site, RowBatcher<Row>>();
  private readonly database: RowBatcher<Row>;
  /** The mean characters of the rows that the last statement of a page has read. */
  private rowLength = 0;
  /** One transaction per batch, so that other writes wait for at most one. */
  private readonly transactions = new WriteQueue<Transaction<Row>>(([first]) => this.transact(first), 1);

  constructor(
    private readonly dataSource: DataSource,
    entity: EntityTarget<Row>,
    private readonly commits: GroupCommit,
    private readonly sites: Sites = new OneDatabase(dataSource),
  ) {
    this.table = new Table(dataSource, entity);
    this.database = new RowBatcher(this.table, new OneDatabase(dataSource), commits);
  }

  find(key: Key): Promise<Row | undefined> {
    return this.batcherOf(key).find(key);
  }

  /**
   * Stores what `decide` makes of the row with this key. The promise resolves when that is on disk.
   *
   * Writes to one row that wait together are done in their order, each on the result of the one before, and stored once.
   *
   * @param isNew whether the row most likely does not exist: it is then read only if it does.
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the row.
   * @throws QueryFailedError when the row breaks a rule of the database, such as a foreign key.
   */
  change(key: Key, decide: Decide<Row>, isNew = false): Promise<Written<Row>> {
    return this.batcherOf(key).change(key, decide, isNew);
  }

  /**
   * Makes all changes in one transaction, each on the result of those before, or none if one of them throws.
   *
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the rows.
   * @throws QueryFailedError when a row breaks a rule of the database, such as a foreign key.
   */
  changeAll(changes: readonly RowDecision<Row>[]): Promise<Written<Row>[]> {
    return submit(this.commits, this.transactions, { changes });
  }

  /**
   * Reads a range in its order as JSON: at most `wanted` rows at a time, or about 100 KiB without `wanted`. With a filter, it may
   * stop before the end of the range.
   */
  async *read(scan: IndexScan, wanted?: number, queries?: Queries): AsyncGenerator<RowsAsJson> {
    const { table, sites } = this;
    const fixed = this.snapshotFor(scan, queries);
    const walk = scan.filter && new Walk(table, PAGE_MS);
    const mostOfPage = (rows: number) =>
      Math.min(rows, MAX_ROWS, Math.ceil(STATEMENT_LENGTH / this.rowLength));
    let limit = wanted === undefined ? FIRST_ROWS : mostOfPage(wanted);
    for (let rest = scan; ;) {
      const first = (from: Queries, rows?: string, share = 1) =>
        readFirst(table, rest, mostOf(limit, share), walk, from, rows);
      const merge = (lists: readonly RowsAsJson[]) => mergeSorted(table, rest, limit, lists);
      const read = () => (fixed ? first(fixed) : sites.page(table, first, merge));
      const step = walk ? walk.step(read) : scan.source ? inTurn(read) : read();
      const found = await waitFor('database', step);
      if (wanted !== undefined && found.count > 0) this.rowLength = found.text.length / found.count;
      if (found.count > 0 || walk !== undefined) yield found;
      if (found.end === undefined || walk?.hasTime === false) return;
      rest = { ...scan, after: positionOf(table, scan, table.parse(found.end)) };
      limit = wanted === undefined ? nextLimit(limit, found.text) : mostOfPage(wanted);
    }
  }

  /** @throws ApiException 50300 when counting with a filter takes too long. */
  async count(scan: IndexScan, queries: Queries): Promise<number> {
    const { table, sites } = this;
    const fixed = this.snapshotFor(scan, queries);
    const count = (from: Queries, rows?: string) =>
      scan.filter ? countWalk(table, scan, from, rows) : countAll(table, scan, from);
    const counted = () => (fixed ? count(fixed) : sites.page(table, count, sumOf));
    return waitFor('database', scan.source ? inTurn(counted) : counted());
  }

  /** A cluster has no common snapshot, so a walk asks its workers directly. */
  private snapshotFor({ filter }: IndexScan, snapshot: Queries | undefined): Queries | undefined {
    return filter !== undefined && this.sites.disorder !== undefined ? undefined : snapshot;
  }

  private batcherOf(key: Key): RowBatcher<Row> {
    const site = this.sites.siteOf(this.table, key);
    let batcher = this.batchers.get(site);
    if (batcher === undefined) {
      const commits = site.isSerial ? this.commits.another() : this.commits;
      this.batchers.set(site, (batcher = new RowBatcher(this.table, site, commits)));
    }
    return batcher;
  }

  private async transact(transaction: Transaction<Row> | undefined): Promise<void> {
    if (transaction === undefined) return;
    const { changes, by, resolve } = transaction;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        resolve(await this.dataSource.transaction((queries) => this.applyAll(changes, by, queries)));
        transaction.isSettled = true;
        return;
      } catch (error) {
        if (!isOvertaken(error)) throw error;
      }
    }
    throw overtakenTooOften();
  }

  private async applyAll(
    changes: readonly RowDecision<Row>[],
    by: string | undefined,
    queries: Queries,
  ): Promise<Written<Row>[]> {
    const slices = slicesOf(inOrder([...new Set(changes.map(({ key }) => key))], (key) => key));
    const before = new Map<Key, Row>();
    for (const slice of slices)
      for (const [key, row] of await this.database.findAll(slice, queries)) before.set(key, row);
    const after = new Map<Key, Row | undefined>(before);
    const written = changes.map(({ key, decide }) => {
      const change = { before: after.get(key), after: decide(after.get(key)) };
      after.set(key, change.after);
      return change;
    });
    for (const slice of slices) {
      const planOfKey = (key: Key) => ({
        before: before.get(key),
        after: after.get(key),
        by,
        settle: () => undefined,
      });
      const plans = new Map<Key, Plan<Row>>(slice.map((key) => [key, planOfKey(key)]));
      await this.database.apply(plans, true, queries);
      if (plans.size > 0) await this.database.apply(plans, false, queries);
      // A row has changed since it was read.
      if (plans.size > 0) throw OVERTAKEN;
    }
    return written;
  }
}

interface Transaction<Row> extends Pending<Written<Row>[]> {
  readonly changes: readonly RowDecision<Row>[];
}

/** Reads the first rows of a range: up to `limit`, or a few more. A walk with an infinite limit only counts them. */
async function readFirst<Row extends ObjectLiteral>(
  table: Table<Row>,
  scan: IndexScan,
  limit: number,
  walk: Walk | undefined,
  queries: Queries,
  from: string | undefined,
): Promise<RowsAsJson> {
  const texts: string[] = [];
  let count = 0;
  let end: string | undefined;
  const statements = walk
    ? walkStatements(table, scan, walk.rows, limit, from)
    : scanStatements(table, scan, limit, from);
  for (const statement of statements) {
    const [found] = await run<RowsAsJson>(queries, statement);
    if (found?.text) texts.push(found.text);
    count += Number(found?.count);
    end = found?.end ?? undefined;
    if (count >= limit || end !== undefined) break;
  }
  const text = texts.join(SEPARATOR);
  return { text, count, end: count >= limit ? lastOf(text) : end };
}

/** The most rows that a random share of a list has in 39 of 40 cases: the mean and two standard deviations. If it has more, they are read next. */
function mostOf(limit: number, share: number): number {
  return Math.min(limit, Math.ceil(limit * share + 2 * Math.sqrt(limit * share * (1 - share))));
}

async function countAll<Row extends ObjectLiteral>(
  table: Table<Row>,
  scan: IndexScan,
  queries: Queries,
): Promise<number> {
  const [counted] = await run<RowsAsJson>(queries, countStatement(table, scan));
  return Number(counted?.count);
}

async function countWalk<Row extends ObjectLiteral>(
  table: Table<Row>,
  scan: IndexScan,
  queries: Queries,
  from: string | undefined,
): Promise<number> {
  const walk = new Walk(table, COUNT_MS);
  let total = 0;
  for (let rest = scan; walk.hasTime;) {
    const { count, end } = await walk.step(() => readFirst(table, rest, Infinity, walk, queries, from));
    total += count;
    if (end === undefined) return total;
    rest = { ...scan, after: positionOf(table, scan, table.parse(end)) };
  }
  throw unavailable('It takes too long to count what the list would have.');
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Splits rows into slices for one statement each. */
function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / MAX_BATCH);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_BATCH, (index + 1) * MAX_BATCH));
}
