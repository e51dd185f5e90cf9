import { channel } from 'node:diagnostics_channel';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import type { ObjectLiteral } from 'typeorm';
import { type Part, Worker } from '../features/citus/cluster.js';
import { type ApiException, unavailable } from '../errors/api.exception.js';
import { currentRequest, waitFor } from '../logging/request-context.js';
import { isConflict, violationOf } from './database-errors.js';
import { type GroupCommit, Lane, MAX_BATCH, type PendingWrite } from './group-commit.js';
import { type Statement, Statements, type Update } from './statements.js';
import type { Key, Table } from './table.js';

/** Tries of a write whose row other instances keep changing. */
export const ATTEMPTS = 30;

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

export interface Change<Row> {
  readonly key: Key;
  readonly decide: Decide<Row>;
}

/** Another instance has changed a row in the middle of a transaction. */
export const OVERTAKEN = new Error('Another instance was faster.');

/** Runs statements: a data source, or a connection of it that keeps a snapshot. */
export interface Queries {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * The rows of a table that are in one place: in the database, or in a worker of a cluster. Those that are read or written at the
 * same time share a statement.
 */
export class Place<Row extends ObjectLiteral> {
  private readonly statements: Statements<Row>;
  private readonly lane = new Lane<Write<Row>>((batch) => this.writeBatch(batch));
  private reading: Reading<Row> | undefined;
  /** What a worker is asked last. */
  private asked: Promise<unknown> | undefined;

  constructor(
    private readonly table: Table<Row>,
    private readonly queries: Queries,
    private readonly commits: GroupCommit,
  ) {
    this.statements = new Statements(table);
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

  change(key: Key, decide: Decide<Row>, isNew: boolean): Promise<Written<Row>> {
    return submit(this.commits, this.lane, { key, decide, isNew });
  }

  /** Finds rows by their keys, at most `MAX_BATCH`. */
  async findAll(keys: readonly Key[], queries = this.queries): Promise<Map<Key, Row>> {
    if (keys.length === 0) return new Map();
    const part = queries instanceof Worker ? queries.parts.get(this.table.distribution) : undefined;
    const found =
      (part && (await this.findInPart(part, keys))) ??
      (await run<ObjectLiteral>(queries, this.statements.find(keys)));
    return new Map(found.map((stored) => [this.table.decodeKey(stored), this.table.decode(stored)]));
  }

  /** Reads the shards of a worker as tables: Citus would plan each statement anew, at ten times the cost of its rows. */
  private async findInPart(part: Part, keys: readonly Key[]): Promise<ObjectLiteral[] | undefined> {
    const { text, parameters } = this.statements.find(keys, `${part.rows} AS ${this.table.name}`);
    return part.query(text, parameters, this.table.key.property);
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

  /** Runs the statements of plans, and leaves those out whose rows are not as they were read. */
  async apply(plans: Map<Key, Plan<Row>>, isFirst: boolean, queries = this.queries): Promise<void> {
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

  /**
   * Reads at the end of this turn of the event loop, when all its requests have asked. A worker is asked one statement at a
   * time, which costs it most of what the rows cost. Those who wait for a lost one share its failure.
   */
  private readLater(): Reading<Row> {
    const keys: Key[] = [];
    const begun = Promise.all([turnOfTheEventLoop(), this.asked]).finally(() => (this.reading = undefined));
    const rows = begun.then(() => {
      if (sharedReads.hasSubscribers) sharedReads.publish(keys.length);
      return this.findAll([...new Set(keys)]);
    });
    if (this.queries instanceof Worker) {
      this.asked = rows;
      const end = () => {
        if (this.asked === rows) this.asked = undefined;
      };
      rows.then(end, end);
    }
    return { keys, rows };
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

export interface Pending<Result> extends PendingWrite {
  isSettled: boolean;
  readonly resolve: (result: Result) => void;
}

interface Write<Row> extends Change<Row>, Pending<Written<Row>> {
  /** Whether the row most likely does not exist. */
  readonly isNew: boolean;
}

/** The effect of some writes on one row, in their order. */
export interface Plan<Row> {
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

/** Adds a write to its lane, and waits until it is settled. */
export async function submit<Content, Result>(
  commits: GroupCommit,
  lane: Lane<Content & Pending<Result>>,
  content: Content,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const write = { ...content, isSettled: false, begunAt: undefined, resolve, reject };
  const start = performance.now();
  commits.add(lane, write);
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

/** Sorts by keys, so that instances that write the same rows never wait for each other in a circle. */
export function inOrder<Item>(items: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Whether another instance was faster, so that everything is to be decided again. */
export function isOvertaken(error: unknown): boolean {
  return error === OVERTAKEN || isConflict(error) || violationOf(error) === 'key';
}

export function overtakenTooOften(): ApiException {
  return unavailable('Other instances have changed it too often meanwhile.');
}

export async function run<Result>(queries: Queries, { text, parameters }: Statement): Promise<Result[]> {
  const result = (await queries.query(text, parameters as unknown[])) as Result[] | [Result[], number];
  // TypeORM returns the rows of some statements with their number.
  return Array.isArray(result[0]) ? result[0] : (result as Result[]);
}
