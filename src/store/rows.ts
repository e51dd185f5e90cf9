import { channel } from 'node:diagnostics_channel';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { unavailable } from '../errors/api.exception.js';
import { currentRequest, waitFor } from '../logging/request-context.js';
import { isConflict, violationOf } from './database-errors.js';
import { type GroupCommit, Lane, MAX_BATCH, type PendingWrite } from './group-commit.js';
import {
  type CountStatements,
  countStatements,
  type Lines,
  positionOf,
  type Range,
  rangeStatements,
} from './range.js';
import { type Change, type Statement, Statements } from './statements.js';
import { type Key, Table } from './table.js';

/** Tries of a write whose row other instances keep changing. */
const ATTEMPTS = 30;

/** The maximum number of rows of a range that one statement reads. */
const MAX_ROWS = 128;

/** The same for a count on SQLite, which takes no longer. */
const MAX_COUNT = 4_096;

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

/** Runs statements: a data source, or a connection of it that keeps a snapshot. */
export interface Queries {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/** The rows of one entity. Those that are read or written at the same time share a statement. */
export class Rows<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly statements: Statements<Row>;
  private readonly lane = new Lane<Write<Row>>((batch) => this.writeBatch(batch));
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
    return this.write(this.table.keyOf(row), insertOrDecide, true);
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
    return this.write(key, decide, false);
  }

  /** Reads a range in its order as JSON, at most `wanted` rows at a time. */
  async *read(range: Range, wanted = MAX_ROWS, queries: Queries = this.dataSource): AsyncGenerator<string[]> {
    const limit = Math.min(wanted, MAX_ROWS);
    for (let rest: Range | undefined = range; rest !== undefined;) {
      const statements: Statement[] = rangeStatements(this.table, rest, limit);
      rest = undefined;
      for (const statement of statements) {
        const [found] = await waitFor('database', run<Lines>(queries, statement));
        const rows = found?.lines?.split('\n') ?? [];
        const last = rows.at(-1);
        if (last !== undefined) yield rows;
        if (last === undefined || rows.length < limit) continue;
        rest = { ...range, after: positionOf(this.table, range, this.table.parse(last)) };
        break;
      }
    }
  }

  /** Counts a range, on SQLite some thousand rows at a time. The caller adds them up. */
  async *count(range: Range, queries: Queries, length = MAX_COUNT): AsyncGenerator<number> {
    for (let rest: Range | undefined = range; rest !== undefined;) {
      const parts: CountStatements[] = countStatements(this.table, rest, length);
      rest = undefined;
      for (const { end, count } of parts) {
        const [last] = end === undefined ? [] : await waitFor('database', run<ObjectLiteral>(queries, end));
        if (last !== undefined) {
          yield length;
          rest = { ...range, after: positionOf(this.table, range, last) };
          break;
        }
        const [counted] = await waitFor('database', run<{ count: number | string }>(queries, count));
        yield Number(counted?.count);
      }
    }
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

  private async findAll(keys: readonly Key[]): Promise<Map<Key, Row>> {
    if (keys.length === 0) return new Map();
    const found = await run<ObjectLiteral>(this.dataSource, this.statements.find(keys));
    return new Map(found.map((stored) => [this.table.decodeKey(stored), this.table.decode(stored)]));
  }

  private async write(key: Key, decide: Decide<Row>, isNew: boolean): Promise<Written<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<Written<Row>>();
    const write: Write<Row> = {
      key,
      decide,
      isNew,
      isSettled: false,
      begunAt: undefined,
      resolve,
      reject,
    };
    const start = performance.now();
    this.commits.add(this.lane, write);
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
    // In one order, so that instances that write the same rows never wait for each other in a circle.
    let open = [...Map.groupBy(batch, ({ key }) => key)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (let attempt = 1; open.length > 0; attempt += 1) {
      if (attempt > ATTEMPTS) throw unavailable('Other instances have changed it too often meanwhile.');
      // A create is tried without a read: the statement tells whether its key was free.
      const isRead = ([, writes]: (typeof open)[number]) => attempt > 1 || writes.some(({ isNew }) => !isNew);
      const found = await this.findAll(open.filter(isRead).map(([key]) => key));
      const plans = new Map(open.map(([key, writes]) => [key, planOf(writes, found.get(key))]));
      try {
        await this.apply(plans, attempt === 1);
      } catch (error) {
        // Another instance was faster: decide again.
        if (!isConflict(error) && violationOf(error) !== 'key') throw error;
      }
      open = open.filter(([key]) => plans.has(key));
    }
  }

  private async apply(plans: Map<Key, Plan<Row>>, isFirst: boolean): Promise<void> {
    const inserted: Row[] = [];
    const updated: Change<Row>[] = [];
    const deleted: Row[] = [];
    for (const [key, plan] of plans) {
      const { before, after } = plan;
      if (before === after) this.settle(plans, key);
      else if (before === undefined) inserted.push(after as Row);
      else if (after === undefined) deleted.push(before);
      else updated.push({ before, after });
    }
    if (isFirst && inserted.length > 0) await this.execute(plans, this.statements.insert(inserted));
    // The first statement left these out although their keys are free: alone, each is told which other rule it breaks.
    if (!isFirst) for (const row of inserted) await this.execute(plans, this.statements.insertAlone(row));
    if (updated.length > 0) await this.execute(plans, this.statements.update(updated));
    if (deleted.length > 0) await this.execute(plans, this.statements.delete(deleted));
  }

  /** Runs a statement that returns the keys of the rows that it has written. */
  private async execute(plans: Map<Key, Plan<Row>>, statement: Statement): Promise<void> {
    for (const row of await run<ObjectLiteral>(this.dataSource, statement))
      this.settle(plans, this.table.decodeKey(row));
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

interface Write<Row> extends PendingWrite {
  readonly key: Key;
  readonly decide: Decide<Row>;
  /** Whether the row most likely does not exist. */
  readonly isNew: boolean;
  isSettled: boolean;
  readonly resolve: (written: Written<Row>) => void;
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

async function run<Result>(queries: Queries, { text, parameters }: Statement): Promise<Result[]> {
  const result = (await queries.query(text, parameters as unknown[])) as Result[] | [Result[], number];
  // TypeORM returns the rows of some statements with their number.
  return Array.isArray(result[0]) ? result[0] : (result as Result[]);
}
