import { channel } from 'node:diagnostics_channel';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { type ApiException, unavailable } from '../errors/api.exception.js';
import { currentRequest, waitFor } from '../logging/request-context.js';
import { isConflict, violationOf } from './database-errors.js';
import { type GroupCommit, Lane, MAX_BATCH, type PendingWrite } from './group-commit.js';
import { countStatement, lastOf, positionOf, type Range, rangeStatements, type RowsAsJson } from './range.js';
import { type Statement, Statements, type Update } from './statements.js';
import { type Key, Table } from './table.js';

/** Tries of a write whose row other instances keep changing. */
const ATTEMPTS = 30;

/** The maximum number of rows of a range that one statement reads. */
const MAX_ROWS = 128;

/** The first rows of an export that one statement reads, and the most; the characters of JSON below which there may be more. */
const FIRST_ROWS = 16;
const MOST_ROWS = 1_024;
const SHORT = 131_072;

/** Publishes how many reads share each statement that finds rows by their keys. */
export const sharedReads = channel('plant-store.shared-reads');

/**
 * Pure function: current row → new row, same row, or undefined to delete. It throws to refuse, which changes nothing. It may
 * be called several times.
 */
export type Decide<Row> = (current: Row | undefined) => Row | undefined;

export interface Written<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** A change of the row with a key. */
export interface Change<Row> {
  readonly key: Key;
  readonly decide: Decide<Row>;
}

/** Another instance has changed a row in the middle of a transaction. */
const OVERTAKEN = new Error('Another instance was faster.');

/** Runs statements: a data source, or a connection of it that keeps a snapshot. */
export interface Queries {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/** The rows of one entity. Those that are read or written at the same time share a statement. */
export class Rows<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly statements: Statements<Row>;
  private readonly lane = new Lane<Write<Row>>((batch) => this.writeBatch(batch));
  /** A transaction has a turn of its own, so that other writes wait for one of them at most. */
  private readonly transactions = new Lane<Transaction<Row>>(([first]) => this.transact(first), 1);
  private reading: Reading<Row> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    entity: EntityTarget<Row>,
    private readonly commits: GroupCommit,
  ) {
    this.table = new Table(dataSource, entity);
    this.statements = new Statements(this.table);
  }

  find(key: Key): Promise<Row | undefined> {
    if (this.reading === undefined || this.reading.keys.length >= MAX_BATCH) this.reading = this.readLater();
    const { keys, rows } = this.reading;
    keys.push(key);
    return waitFor(
      'database',
      rows.then((found) => found.get(key)),
    );
  }

  /** Like `change`, for a row that most likely does not exist: `decide` is asked only if it does. */
  insert(row: Row, decide: (current: Row) => Row | undefined): Promise<Written<Row>> {
    const insertOrDecide: Decide<Row> = (current) => (current === undefined ? row : decide(current));
    return this.write(this.lane, { key: this.table.keyOf(row), decide: insertOrDecide, isNew: true });
  }

  /**
   * Stores what `decide` makes of the row with this key. The promise resolves when that is on disk.
   *
   * Writes to one row that wait together are done in their order, each on the result of the one before, and stored once.
   *
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the row.
   * @throws QueryFailedError when the row breaks a rule of the database, such as a foreign key.
   */
  change(key: Key, decide: Decide<Row>): Promise<Written<Row>> {
    return this.write(this.lane, { key, decide, isNew: false });
  }

  /**
   * Makes all changes in one transaction, each on the result of those before, or none if one of them throws.
   *
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the rows.
   * @throws QueryFailedError when a row breaks a rule of the database, such as a foreign key.
   */
  changeAll(changes: readonly Change<Row>[]): Promise<Written<Row>[]> {
    return this.write(this.transactions, { changes });
  }

  /** Reads a range in its order as JSON, `wanted` rows at a time; without that, as many as are some 100 KiB. */
  async *read(range: Range, wanted?: number, queries: Queries = this.dataSource): AsyncGenerator<RowsAsJson> {
    let limit = wanted === undefined ? FIRST_ROWS : Math.min(wanted, MAX_ROWS);
    for (let rest: Range | undefined = range; rest !== undefined;) {
      const statements: Statement[] = rangeStatements(this.table, rest, limit);
      rest = undefined;
      for (const statement of statements) {
        const [found] = await waitFor('database', run<RowsAsJson>(queries, statement));
        const { text, count } = { text: found?.text ?? '', count: Number(found?.count) };
        if (count > 0) yield { text, count };
        if (count < limit) continue;
        rest = { ...range, after: positionOf(this.table, range, this.table.parse(lastOf(text))) };
        if (wanted === undefined)
          limit = text.length < SHORT ? Math.min(2 * limit, MOST_ROWS) : Math.ceil(limit / 2);
        break;
      }
    }
  }

  /** Counts a whole range. */
  async count(range: Range, queries: Queries): Promise<number> {
    const statement = countStatement(this.table, range);
    const [counted] = await waitFor('database', run<{ count: number | string }>(queries, statement));
    return Number(counted?.count);
  }

  /** Reads at the end of this turn of the event loop, when all its requests have asked. */
  private readLater(): Reading<Row> {
    const keys: Key[] = [];
    const rows = turnOfTheEventLoop().then(() => {
      this.reading = undefined;
      if (sharedReads.hasSubscribers) sharedReads.publish(keys.length);
      return this.findAll([...new Set(keys)]);
    });
    return { keys, rows };
  }

  private async findAll(keys: readonly Key[], queries: Queries = this.dataSource): Promise<Map<Key, Row>> {
    if (keys.length === 0) return new Map();
    const found = await run<ObjectLiteral>(queries, this.statements.find(keys));
    return new Map(found.map((stored) => [this.table.decodeKey(stored), this.table.decode(stored)]));
  }

  private async write<Content, Result>(
    lane: Lane<Content & Pending<Result>>,
    content: Content,
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const write = { ...content, isSettled: false, begunAt: undefined, resolve, reject };
    const start = performance.now();
    this.commits.add(lane, write);
    try {
      return await promise;
    } finally {
      const { begunAt = performance.now() } = write;
      const request = currentRequest();
      if (request !== undefined) {
        request.waited.turn += begunAt - start;
        request.waited.database += performance.now() - begunAt;
      }
    }
  }

  /** Throws what the database says when a row breaks one of its rules: the lane then writes halves of the batch. */
  private async writeBatch(batch: readonly Write<Row>[]): Promise<void> {
    let open = inOrder([...Map.groupBy(batch, ({ key }) => key)], ([key]) => key);
    for (let attempt = 1; open.length > 0; attempt += 1) {
      if (attempt > ATTEMPTS) throw overtakenTooOften();
      // A create is tried without a read: the statement tells whether its key was free.
      const isRead = ([, writes]: (typeof open)[number]) => attempt > 1 || writes.some(({ isNew }) => !isNew);
      const found = await this.findAll(open.filter(isRead).map(([key]) => key));
      const plans = new Map(open.map(([key, writes]) => [key, planOf(writes, found.get(key))]));
      try {
        await this.apply(plans, attempt === 1);
      } catch (error) {
        if (!isOvertaken(error)) throw error;
      }
      open = open.filter(([key]) => plans.has(key));
    }
  }

  private async apply(
    plans: Map<Key, Plan<Row>>,
    isFirst: boolean,
    queries: Queries = this.dataSource,
  ): Promise<void> {
    const inserted: Row[] = [];
    const updated: Update<Row>[] = [];
    const deleted: Row[] = [];
    for (const [key, plan] of plans) {
      const { before, after } = plan;
      if (before === after) this.settle(plans, key);
      else if (before === undefined) inserted.push(after as Row);
      else if (after === undefined) deleted.push(before);
      else updated.push({ before, after });
    }
    const execute = (statement: Statement) => this.execute(plans, statement, queries);
    if (deleted.length > 0) await execute(this.statements.delete(deleted));
    if (updated.length > 0) await execute(this.statements.update(updated));
    if (isFirst && inserted.length > 0) await execute(this.statements.insert(inserted));
    // The first statement left these out although their keys are free: alone, each is told which other rule it breaks.
    if (!isFirst) for (const row of inserted) await execute(this.statements.insertAlone(row));
  }

  /** Runs a statement that returns the keys of the rows that it has written. */
  private async execute(plans: Map<Key, Plan<Row>>, statement: Statement, queries: Queries): Promise<void> {
    for (const row of await run<ObjectLiteral>(queries, statement))
      this.settle(plans, this.table.decodeKey(row));
  }

  private async transact(transaction: Transaction<Row> | undefined): Promise<void> {
    if (transaction === undefined) return;
    const { changes, resolve } = transaction;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        resolve(await this.dataSource.transaction((queries) => this.applyAll(changes, queries)));
        transaction.isSettled = true;
        return;
      } catch (error) {
        if (!isOvertaken(error)) throw error;
      }
    }
    throw overtakenTooOften();
  }

  private async applyAll(changes: readonly Change<Row>[], queries: Queries): Promise<Written<Row>[]> {
    const parts = partsOf(inOrder([...new Set(changes.map(({ key }) => key))], (key) => key));
    const before = new Map<Key, Row>();
    for (const part of parts)
      for (const [key, row] of await this.findAll(part, queries)) before.set(key, row);
    const after = new Map<Key, Row | undefined>(before);
    const written = changes.map(({ key, decide }) => {
      const change = { before: after.get(key), after: decide(after.get(key)) };
      after.set(key, change.after);
      return change;
    });
    for (const part of parts) {
      const planOfKey = (key: Key) => ({
        before: before.get(key),
        after: after.get(key),
        settle: () => undefined,
      });
      const plans = new Map<Key, Plan<Row>>(part.map((key) => [key, planOfKey(key)]));
      await this.apply(plans, true, queries);
      if (plans.size > 0) await this.apply(plans, false, queries);
      // A row is not as it was read.
      if (plans.size > 0) throw OVERTAKEN;
    }
    return written;
  }

  private settle(plans: Map<Key, Plan<Row>>, key: Key): void {
    plans.get(key)?.settle();
    plans.delete(key);
  }
}

/** A statement that several reads share. */
interface Reading<Row> {
  readonly keys: Key[];
  readonly rows: Promise<Map<Key, Row>>;
}

interface Pending<Result> extends PendingWrite {
  isSettled: boolean;
  readonly resolve: (result: Result) => void;
}

interface Write<Row> extends Change<Row>, Pending<Written<Row>> {
  /** Whether the row most likely does not exist. */
  readonly isNew: boolean;
}

interface Transaction<Row> extends Pending<Written<Row>[]> {
  readonly changes: readonly Change<Row>[];
}

/** The effect of some writes on one row, in their order. */
interface Plan<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly settle: () => void;
}

function planOf<Row>(writes: readonly Write<Row>[], before: Row | undefined): Plan<Row> {
  let after = before;
  const settlements = writes.map(({ decide, resolve, reject }) => {
    try {
      const written = { before: after, after: decide(after) };
      after = written.after;
      return () => resolve(written);
    } catch (error) {
      return () => reject(error);
    }
  });
  const settle = () => {
    for (const tell of settlements) tell();
    for (const write of writes) write.isSettled = true;
  };
  return { before, after, settle };
}

/** Sorts by keys, so that instances that write the same rows never wait for each other in a circle. */
function inOrder<Item>(items: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Splits rows into as many as one statement takes. */
function partsOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / MAX_BATCH);
  return Array.from({ length: count }, (_, part) => items.slice(part * MAX_BATCH, (part + 1) * MAX_BATCH));
}

/** Whether another instance was faster, so that everything is to be decided again. */
function isOvertaken(error: unknown): boolean {
  return error === OVERTAKEN || isConflict(error) || violationOf(error) === 'key';
}

function overtakenTooOften(): ApiException {
  return unavailable('Other instances have changed it too often meanwhile.');
}

async function run<Result>(queries: Queries, { text, parameters }: Statement): Promise<Result[]> {
  const result = (await queries.query(text, parameters as unknown[])) as Result[] | [Result[], number];
  // TypeORM returns the rows of some statements with their number.
  return Array.isArray(result[0]) ? result[0] : (result as Result[]);
}
