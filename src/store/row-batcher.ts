import { channel } from 'node:diagnostics_channel';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import type { ObjectLiteral } from 'typeorm';
import { type ApiException, unavailable } from '../errors/api.exception.js';
import { waitFor } from '../logging/request-context.js';
import { isOvertaken } from './database-errors.js';
import { type GroupCommit, MAX_BATCH, type Pending, submit, WriteQueue } from './group-commit.js';
import { type Queries, run, type Statement } from './queries.js';
import type { Site } from './sites.js';
import { Statements, type Update } from './statements.js';
import { inOrder, type Key, type Table } from './table.js';

/** The maximum attempts of a write whose row other instances keep changing. */
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

/** A change of the row with a key. */
export interface RowDecision<Row> {
  readonly key: Key;
  readonly decide: Decide<Row>;
}

/** Reads and writes the rows of a table at one site. Those that are read or written at the same time share a statement. */
export class RowBatcher<Row extends ObjectLiteral> {
  private readonly statements: Statements<Row>;
  private readonly queue = new WriteQueue<Write<Row>>((batch) => this.writeBatch(batch));
  private reading: Reading<Row> | undefined;
  /** The last read of a serial site; the next waits for it. */
  private lastRead: Promise<unknown> | undefined;

  constructor(
    private readonly table: Table<Row>,
    private readonly site: Site,
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
    return submit(this.commits, this.queue, { key, decide, isNew });
  }

  /** Finds rows by their keys, at most `MAX_BATCH`. */
  async findAll(keys: readonly Key[], queries?: Queries): Promise<Map<Key, Row>> {
    if (keys.length === 0) return new Map();
    const write = (from?: string) => this.statements.find(keys, from);
    const found = await (queries ? run<ObjectLiteral>(queries, write()) : this.site.find(keys, write));
    return new Map(found.map((stored) => [this.table.decodeKey(stored), this.table.decode(stored)]));
  }

  /** Throws the error of the database if a row breaks one of its rules: the queue then tries halves of the batch. */
  private async writeBatch(batch: readonly Write<Row>[]): Promise<void> {
    let open = inOrder([...Map.groupBy(batch, ({ key }) => key)], ([key]) => key);
    for (let attempt = 1; open.length > 0; attempt += 1) {
      if (attempt > ATTEMPTS) throw overtakenTooOften();
      // A create is tried without a read: the statement tells whether its key was free.
      const isRead = ([, writes]: (typeof open)[number]) => attempt > 1 || writes.some(({ isNew }) => !isNew);
      const found = await this.findAll(open.filter(isRead).map(([key]) => key));
      const plans = new Map(open.map(([key, writes]) => [key, this.planOf(writes, found.get(key))]));
      try {
        await this.apply(plans, attempt === 1);
      } catch (error) {
        if (!isOvertaken(error)) throw error;
      }
      open = open.filter(([key]) => plans.has(key));
    }
  }

  /** Runs the statements of plans, and removes each plan that is done. Plans whose rows have changed since they were read remain. */
  async apply(plans: Map<Key, Plan<Row>>, isFirst: boolean, queries: Queries = this.site): Promise<void> {
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
    // The first attempt skipped these although their keys are free. Alone, each fails with the other rule that it breaks.
    if (!isFirst) for (const row of inserted) await execute(this.statements.insertAlone(row));
  }

  /** Runs a statement that returns the keys of the rows that it has written. */
  private async execute(plans: Map<Key, Plan<Row>>, statement: Statement, queries: Queries): Promise<void> {
    for (const row of await this.table.write(queries, statement, plans))
      this.settle(plans, this.table.decodeKey(row));
  }

  /**
   * Reads at the end of this turn of the event loop, when all its requests have added their keys. At a serial site, the statement
   * waits for the previous one, so that more requests share it: a statement costs such a site more than its rows.
   */
  private readLater(): Reading<Row> {
    const keys: Key[] = [];
    const begun = Promise.all([turnOfTheEventLoop(), this.lastRead]).finally(
      () => (this.reading = undefined),
    );
    const rows = begun.then(() => {
      if (sharedReads.hasSubscribers) sharedReads.publish(keys.length);
      return this.findAll([...new Set(keys)]);
    });
    if (this.site.isSerial) {
      this.lastRead = rows;
      const end = () => {
        if (this.lastRead === rows) this.lastRead = undefined;
      };
      rows.then(end, end);
    }
    return { keys, rows };
  }

  private planOf(writes: readonly Write<Row>[], before: Row | undefined): Plan<Row> {
    let after = before;
    let by = writes[0]?.by;
    const settlements = writes.map((write) => {
      try {
        const written = { before: after, after: write.decide(after) };
        if (writes.length > 1 && this.isChange(written)) by = write.by;
        after = written.after;
        return () => write.resolve(written);
      } catch (error) {
        return () => write.reject(error);
      }
    });
    const settle = () => {
      for (const tell of settlements) tell();
      for (const write of writes) write.isSettled = true;
    };
    return { before, after, by, settle };
  }

  private isChange({ before, after }: Written<Row>): boolean {
    return before === undefined || after === undefined
      ? before !== after
      : !this.table.isEqual(before, after);
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

interface Write<Row> extends RowDecision<Row>, Pending<Written<Row>> {
  /** Whether the row most likely does not exist. */
  readonly isNew: boolean;
}

/** The effect of some writes on one row, in their order. */
export interface Plan<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Who has made the last change of the row. */
  readonly by: string | undefined;
  readonly settle: () => void;
}

export function overtakenTooOften(): ApiException {
  return unavailable('Other instances have changed it too often meanwhile.');
}
