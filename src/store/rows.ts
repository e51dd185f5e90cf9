import { channel } from 'node:diagnostics_channel';
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { unavailable } from '../errors/api.exception.js';
import { currentRequest, waitFor } from '../logging/request-context.js';
import { type GroupCommit, Lane, MAX_BATCH, type PendingWrite } from './group-commit.js';
import { countStatements, positionOf, type Range, rangeStatements } from './range.js';
import { type Change, type Statement, Statements } from './statements.js';
import { isConflict, violationOf } from './database-errors.js';
import { type Column, type Key, Table } from './table.js';

/** How often a row is decided on and written when other instances change it in between. */
const ATTEMPTS = 30;

/** How often a statement is tried that the database undoes because of another one. */
const STATEMENT_ATTEMPTS = 5;

/** Rows of a range that one statement reads at most. */
const MAX_ROWS = 128;

/** Rows that one statement counts at most on SQLite: that takes no longer than to read `MAX_ROWS`. */
const MAX_COUNT = 4_096;

/** Tells of every statement that reads rows by their keys how many reads share it, to whoever measures that. */
export const sharedReads = channel('plant-store.shared-reads');

/**
 * What a row is to be, from what it is: a new row, the same object to leave it alone, or undefined for none. It throws to
 * refuse, which changes nothing. It may be asked several times, and has no effects of its own.
 */
export type Decide<Row> = (current: Row | undefined) => Row | undefined;

/** What a write has made of a row. */
export interface Written<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** A row refers to one that there is not. */
export class MissingReferenceError extends Error {
  constructor(
    readonly column: Column,
    /** The key of the other row. */
    readonly key: Key,
  ) {
    super(`There is no ${column.reference?.noun} to which a row refers.`);
  }
}

/** Where statements run: a data source, or one connection of it that keeps a snapshot. */
export interface Queries {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/** The rows of one entity. Those that are read or written at the same time share a statement. */
export class Rows<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly statements: Statements<Row>;
  private readonly lane = new Lane<Write<Row>>((batch) => this.writeBatch(batch));
  /** What is read at the end of this turn of the event loop. */
  private readonly asked = new Map<Key, PromiseWithResolvers<Row | undefined>[]>();

  constructor(
    private readonly dataSource: DataSource,
    entity: EntityTarget<Row>,
    private readonly commits: GroupCommit,
  ) {
    this.table = new Table(dataSource, entity);
    this.statements = new Statements(this.table);
  }

  /** The row with this key. */
  find(key: Key): Promise<Row | undefined> {
    const question = Promise.withResolvers<Row | undefined>();
    const questions = this.asked.get(key);
    if (questions === undefined) this.asked.set(key, [question]);
    else questions.push(question);
    if (questions === undefined && this.asked.size === 1) setImmediate(() => void this.answer());
    return waitFor('database', question.promise);
  }

  /**
   * Stores a row where there is most likely none: `decide` is asked only when there is one. Otherwise like `change`.
   *
   * @throws MissingReferenceError when the row refers to one that there is not.
   */
  insert(row: Row, decide: (current: Row) => Row | undefined): Promise<Written<Row>> {
    const insertOrDecide: Decide<Row> = (current) => (current === undefined ? row : decide(current));
    return this.write(this.table.keyOf(row), insertOrDecide, true);
  }

  /**
   * Makes of the row with this key what `decide` says. The promise resolves when that is on disk.
   *
   * Writes to one row that wait together are done in their order, each on what the one before left, and stored once.
   *
   * @throws MissingReferenceError when the row refers to one that there is not.
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the row.
   */
  change(key: Key, decide: Decide<Row>): Promise<Written<Row>> {
    return this.write(key, decide, false);
  }

  /**
   * Reads a range in its order, some rows at a time, as the driver gives them.
   *
   * @param wanted rows that are wanted for the time being.
   */
  async *read(
    range: Range,
    wanted = MAX_ROWS,
    queries: Queries = this.dataSource,
  ): AsyncGenerator<ObjectLiteral[]> {
    const limit = Math.min(wanted, MAX_ROWS);
    let after = range.after;
    for (let mayBeMore = true; mayBeMore;) {
      mayBeMore = false;
      for (const statement of rangeStatements(this.table, { ...range, after }, limit)) {
        const found = await waitFor('database', run<ObjectLiteral>(queries, statement));
        if (found.length > 0) yield found;
        const last = found.at(-1);
        if (last !== undefined) after = positionOf(this.table, range, last);
        mayBeMore = found.length === limit;
        if (mayBeMore) break;
      }
    }
  }

  /**
   * Counts a range, on SQLite some thousand rows at a time, which the caller adds up.
   */
  async *count(range: Range, queries: Queries, length = MAX_COUNT): AsyncGenerator<number> {
    let { after } = range;
    for (let mayBeMore = true; mayBeMore;) {
      mayBeMore = false;
      for (const { end, count } of countStatements(this.table, { ...range, after }, length)) {
        const [last] = end === undefined ? [] : await waitFor('database', run<ObjectLiteral>(queries, end));
        if (last !== undefined) {
          after = positionOf(this.table, range, last);
          mayBeMore = true;
          yield length;
          break;
        }
        const [rest] = await waitFor('database', run<{ count: number | string }>(queries, count));
        yield Number(rest?.count);
      }
    }
  }

  private async findAll(keys: readonly Key[]): Promise<Map<Key, Row>> {
    if (keys.length === 0) return new Map();
    const found = await run<ObjectLiteral>(this.dataSource, this.statements.find(keys));
    return new Map(found.map((stored) => [this.table.decodeKey(stored), this.table.decode(stored)]));
  }

  private async answer(): Promise<void> {
    const asked = [...this.asked];
    this.asked.clear();
    for (let start = 0; start < asked.length; start += MAX_BATCH) {
      const batch = asked.slice(start, start + MAX_BATCH);
      if (sharedReads.hasSubscribers)
        sharedReads.publish(batch.reduce((reads, [, questions]) => reads + questions.length, 0));
      try {
        const rows = await this.findAll(batch.map(([key]) => key));
        for (const [key, questions] of batch) for (const { resolve } of questions) resolve(rows.get(key));
      } catch (error) {
        for (const { reject } of batch.flatMap(([, questions]) => questions)) reject(error);
      }
    }
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
      countWaits(start, write);
    }
  }

  private async writeBatch(batch: readonly Write<Row>[]): Promise<void> {
    // In one order, so that instances which write the same rows wait for each other and never in a circle.
    let open = [...Map.groupBy(batch, ({ key }) => key)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const skipped = new Set<Key>();
    for (let attempt = 1; open.length > 0; attempt += 1) {
      if (attempt > ATTEMPTS) throw unavailable('Other instances have changed it too often meanwhile.');
      // What is only created is tried without a look: the statement tells whether its key was free.
      const isSeen = ([, writes]: (typeof open)[number]) => attempt > 1 || writes.some(({ isNew }) => !isNew);
      const seen = await this.findAll(open.filter(isSeen).map(([key]) => key));
      const plans = new Map(open.map(([key, writes]) => [key, new Plan(writes, seen.get(key))]));
      if (attempt > 1) await this.refuseMissingReferences(plans);
      if (skipped.size > 0) await this.insertEach(plans, skipped);
      await this.apply(plans, skipped);
      open = open.filter(([key]) => plans.has(key));
    }
  }

  /**
   * Inserts rows that a statement for many has left out although their keys are free: they break another rule, which the
   * database names when it has one row.
   */
  private async insertEach(plans: Map<Key, Plan<Row>>, skipped: Set<Key>): Promise<void> {
    for (const key of skipped) {
      const { before, after } = plans.get(key) ?? {};
      if (before !== undefined || after === undefined) continue;
      try {
        await this.execute(plans, this.statements.insertOne(after));
      } catch (error) {
        if (violationOf(error) === undefined) throw error;
        this.refuse(plans, key, error);
      }
    }
    skipped.clear();
  }

  /** Carries plans out, and takes out those that are done; adds the keys of rows that are not inserted to `skipped`. */
  private async apply(plans: Map<Key, Plan<Row>>, skipped: Set<Key>): Promise<void> {
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
    try {
      if (inserted.length > 0) {
        await this.execute(plans, this.statements.insert(inserted));
        for (const key of inserted.map((row) => this.table.keyOf(row))) if (plans.has(key)) skipped.add(key);
      }
      if (updated.length > 0) await this.execute(plans, this.statements.update(updated));
    } catch (error) {
      // The next attempt finds out which row it was.
      if (violationOf(error) !== 'missing reference') throw error;
    }
    if (deleted.length > 0) await this.execute(plans, this.statements.delete(deleted));
  }

  /** Runs a statement, which returns the keys of the rows that it has written. */
  private async execute(plans: Map<Key, Plan<Row>>, statement: Statement): Promise<void> {
    for (const row of await this.persistently(statement)) this.settle(plans, this.table.decodeKey(row));
  }

  private settle(plans: Map<Key, Plan<Row>>, key: Key): void {
    plans.get(key)?.settle();
    plans.delete(key);
  }

  /** A statement that the database has undone, because another one got in its way, has done nothing: it is tried again. */
  private async persistently(statement: Statement): Promise<ObjectLiteral[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run(this.dataSource, statement);
      } catch (error) {
        if (attempt === STATEMENT_ATTEMPTS || !isConflict(error)) throw error;
      }
    }
  }

  /** Rows may not have been written because of what they refer to. */
  private async refuseMissingReferences(plans: Map<Key, Plan<Row>>): Promise<void> {
    for (const column of this.table.references) {
      const referring = [...plans].flatMap(([key, { before, after }]) => {
        const to = (after?.[column.property] ?? null) as Key | null;
        // What the row referred to before is there.
        return to === null || to === before?.[column.property] ? [] : [{ key, to }];
      });
      if (referring.length === 0) continue;
      const wanted = [...new Set(referring.map(({ to }) => to))];
      const found = await run<{ key: string }>(
        this.dataSource,
        this.statements.findReferenced(column, wanted),
      );
      const there = new Set(found.map(({ key }) => key));
      for (const { key, to } of referring)
        if (!there.has(String(to))) this.refuse(plans, key, new MissingReferenceError(column, to));
    }
  }

  private refuse(plans: Map<Key, Plan<Row>>, key: Key, reason: unknown): void {
    const plan = plans.get(key);
    // Another write to the row may be right: each is tried by itself.
    if (plan !== undefined && plan.writes.length > 1) throw reason;
    plan?.reject(reason);
    plans.delete(key);
  }
}

/** A write that someone waits for. */
interface Write<Row> extends PendingWrite {
  readonly key: Key;
  readonly decide: Decide<Row>;
  /** Whether there is most likely no row yet. */
  readonly isNew: boolean;
  isSettled: boolean;
  readonly resolve: (written: Written<Row>) => void;
}

/** What some writes make of a row, in their order. */
class Plan<Row> {
  readonly after: Row | undefined;
  private readonly settlements: (() => void)[];

  constructor(
    readonly writes: readonly Write<Row>[],
    readonly before: Row | undefined,
  ) {
    let state = before;
    this.settlements = writes.map(({ decide, resolve, reject }) => {
      try {
        const written = { before: state, after: decide(state) };
        state = written.after;
        return () => resolve(written);
      } catch (error) {
        return () => reject(error);
      }
    });
    this.after = state;
  }

  /** Tells who waits what became of each write. */
  settle(): void {
    this.settlements.forEach((settle) => settle());
    this.markSettled();
  }

  reject(reason: unknown): void {
    for (const write of this.writes) write.reject(reason);
    this.markSettled();
  }

  private markSettled(): void {
    for (const write of this.writes) write.isSettled = true;
  }
}

/** Counts for the current request how long a write of it waited for its batch, and how long the database took for that. */
function countWaits(start: number, { begunAt = performance.now() }: PendingWrite): void {
  const request = currentRequest();
  if (request === undefined) return;
  request.waited.turn += begunAt - start;
  request.waited.database += performance.now() - begunAt;
}

async function run<Result>(queries: Queries, { text, parameters }: Statement): Promise<Result[]> {
  const result = (await queries.query(text, parameters as unknown[])) as Result[] | [Result[], number];
  // TypeORM adds to the rows of some statements how many there are.
  return Array.isArray(result[0]) ? result[0] : (result as Result[]);
}
