import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { unavailable } from '../errors/api.exception.js';
import { isOvertaken } from './database-errors.js';
import { type GroupCommit, MAX_BATCH, type Pending, submit, WriteQueue } from './group-commit.js';
import {
  countStatement,
  lastOf,
  mergeSorted,
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
  RowBatcher,
  type RowDecision,
  type Transaction,
  type Written,
} from './row-batcher.js';
import { OneDatabase, type ReadPart, type Site, type Sites } from './sites.js';
import { Portion, type Queries, run } from './queries.js';
import { type Key, Table } from './table.js';

/** The maximum characters of JSON on a page, unless a single row has more. */
export const PAGE_LENGTH = 1_048_576;

/** Rows of the first statement of a page. */
const PAGE_ROWS = 128;

/** The rows of one entity, wherever they are. */
export class Rows<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly batchers = new WeakMap<Site, RowBatcher<Row>>();
  private readonly databaseBatcher: RowBatcher<Row>;
  /** Rows of a statement of a page: all of a usual one, until pages have long rows. */
  private readonly portion = new Portion(PAGE_ROWS);
  /** One transaction per batch, so that other writes wait for at most one. */
  private readonly transactions = new WriteQueue<PendingTransaction<Row>>(
    ([first]) => this.transact(first),
    1,
  );

  constructor(
    private readonly dataSource: DataSource,
    entity: EntityTarget<Row>,
    private readonly commits: GroupCommit,
    private readonly sites: Sites = new OneDatabase(dataSource),
  ) {
    this.table = new Table(dataSource, entity);
    this.databaseBatcher = new RowBatcher(this.table, new OneDatabase(dataSource), commits);
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
   * @param assertLength throws if the texts of the rows that are read have too many characters.
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the rows.
   * @throws QueryFailedError when a row breaks a rule of the database, such as a foreign key.
   */
  changeAll(
    changes: readonly RowDecision<Row>[],
    assertLength?: (length: number) => void,
  ): Promise<Written<Row>[]> {
    const size = Math.min(changes.length, MAX_BATCH);
    return submit(this.commits, this.transactions, { changes, assertLength, size });
  }

  /**
   * Reads a range in its order as JSON: about 100 KiB at a time, and at most `wanted` rows. With a filter, it may stop before the end
   * of the range.
   */
  async *read(scan: IndexScan, wanted?: number, queries?: Queries): AsyncGenerator<RowsAsJson> {
    const { table } = this;
    const walk = scan.filter && new Walk(table, PAGE_MS);
    const portion = wanted === undefined ? new Portion() : this.portion;
    for (let rest = scan; ;) {
      let limit = 0;
      const first = (from: Queries, rows?: string, share = 1) =>
        readFirst(table, rest, mostOf(limit, share), walk, from, rows);
      const read = async () => {
        // Not earlier: other lists may have met long rows meanwhile.
        limit = Math.min(wanted ?? Infinity, portion.rows);
        return mergeSorted(table, rest, limit, await this.page(first, queries));
      };
      const found = await (walk ? walk.step(read) : scan.source ? paced(read) : read());
      portion.note(found.count, found.text.length);
      if (found.count > 0 || walk !== undefined) yield found;
      if (found.end === undefined || walk?.hasTime === false) return;
      rest = { ...scan, after: positionOf(table, scan, table.parse(found.end)) };
    }
  }

  /** @throws ApiException 50300 when counting with a filter takes too long. */
  async count(scan: IndexScan, queries: Queries): Promise<number> {
    if (scan.filter !== undefined) return this.countWalk(scan, queries);
    const count = async (from: Queries, rows?: string) => {
      const [counted] = await run<RowsAsJson>(from, countStatement(this.table, scan, rows));
      return Number(counted?.count);
    };
    const counted = async () => sumOf(await this.page(count, queries));
    return scan.source ? paced(counted) : counted();
  }

  /** Counts each part of the rows from where it was in the last step. If rows have moved, there are new parts, which begin anew. */
  private async countWalk(scan: IndexScan, queries: Queries): Promise<number> {
    const { table } = this;
    const walk = new Walk(table, COUNT_MS);
    for (let parts: readonly CountedPart[] = []; walk.hasTime;) {
      const next = async (from: Queries, rows?: string): Promise<CountedPart> => {
        const part = parts.find((known) => known.rows === rows) ?? { rows, total: 0, rest: scan };
        if (part.rest === undefined) return part;
        const { count, end } = await readFirst(table, part.rest, Infinity, walk, from, rows);
        const after = end === undefined ? undefined : positionOf(table, scan, table.parse(end));
        return { rows, total: part.total + count, rest: after && { ...scan, after } };
      };
      parts = await walk.step(() => this.page(next, queries));
      if (parts.every(({ rest }) => rest === undefined)) return sumOf(parts.map(({ total }) => total));
    }
    throw unavailable('It takes too long to count what the list would have.');
  }

  /** Reads a part of a list from a snapshot. The places of a cluster have no common one, so each is asked directly. */
  private async page<Part>(read: ReadPart<Part>, snapshot: Queries | undefined): Promise<Part[]> {
    if (snapshot && this.sites.disorder === undefined) return [await read(snapshot)];
    return this.sites.page(this.table, read);
  }

  private batcherOf(key: Key): RowBatcher<Row> {
    const site = this.sites.siteOf(this.table, key);
    if (site === undefined) return this.databaseBatcher;
    let batcher = this.batchers.get(site);
    if (batcher === undefined)
      this.batchers.set(site, (batcher = new RowBatcher(this.table, site, this.commits.another())));
    return batcher;
  }

  private async transact(transaction: PendingTransaction<Row> | undefined): Promise<void> {
    if (transaction === undefined) return;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        transaction.resolve(
          await this.dataSource.transaction((queries) =>
            this.databaseBatcher.changeAll(transaction, queries),
          ),
        );
        transaction.isSettled = true;
        return;
      } catch (error) {
        if (!isOvertaken(error)) throw error;
      }
    }
    throw overtakenTooOften();
  }
}

/** Some of the rows that are counted: a FROM clause for them, how many there are, and what is not counted yet. */
interface CountedPart {
  readonly rows: string | undefined;
  readonly total: number;
  readonly rest: IndexScan | undefined;
}

interface PendingTransaction<Row> extends Transaction<Row>, Pending<Written<Row>[]> {
  readonly size: number;
}

/** Reads the first rows of a range: up to `limit`, or a few more. A walk with an infinite limit only counts them. */
async function readFirst(
  table: Table<ObjectLiteral>,
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

function sumOf(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The rows that the first statement of a walk reads, and the maximum. PostgreSQL takes several times as long as SQLite for each. */
const FIRST_WALKED = 512;
const MOST_WALKED = { sqlite: 16_384, postgres: 4_096 };

/** Milliseconds after which a statement should have ended. */
const STATEMENT_MS = 20;

/** Milliseconds that a page may search for rows, and a count. */
const PAGE_MS = 200;
const COUNT_MS = 5_000;

/** The pause after a slow statement if others wait, as a multiple of its duration. */
const PAUSE = 3;

/** Rows that a walk searches however long it takes, so that smaller stores have no empty pages. */
const LEAST_WALKED = 131_072;

/** Resolves when the next slow statement may begin. */
let nextStart = Promise.resolve();
let waiting = 0;

/**
 * Runs slow statements one at a time, first come, first served, and with a pause three times as long while others wait. Together, all
 * slow statements take a quarter of a core at most from everyone else.
 */
async function paced<Result>(read: () => Promise<Result>): Promise<Result> {
  const { promise: next, resolve: end } = Promise.withResolvers<void>();
  const before = nextStart;
  nextStart = next;
  waiting += 1;
  await before;
  waiting -= 1;
  const readAt = performance.now();
  try {
    return await read();
  } finally {
    if (waiting === 0) end();
    else setTimeout(end, PAUSE * (performance.now() - readAt));
  }
}

/** A walk through a range in short statements. Each reads a power of two rows. */
class Walk {
  rows = FIRST_WALKED;
  private readonly mostRows: number;
  private walkedRows = 0;
  /** Milliseconds of its statements. */
  private spent = 0;

  constructor(
    { isPostgres }: { readonly isPostgres: boolean },
    private readonly mostMs: number,
  ) {
    this.mostRows = MOST_WALKED[isPostgres ? 'postgres' : 'sqlite'];
  }

  get hasTime(): boolean {
    return this.walkedRows < LEAST_WALKED || this.spent < this.mostMs;
  }

  step<Result>(read: () => Promise<Result>): Promise<Result> {
    return paced(async () => {
      const readAt = performance.now();
      const result = await read();
      const took = performance.now() - readAt;
      this.spent += took;
      this.walkedRows += this.rows;
      const isShort = took < STATEMENT_MS;
      this.rows = isShort ? Math.min(2 * this.rows, this.mostRows) : Math.ceil(this.rows / 2);
      return result;
    });
  }
}
