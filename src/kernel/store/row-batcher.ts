import { channel } from 'node:diagnostics_channel';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ObjectLiteral } from 'typeorm';
import { type ApiException, unavailable } from '../errors/api.exception.js';
import { isOvertaken, OVERTAKEN } from './database-errors.js';
import { type GroupCommit, MAX_BATCH, type Pending, submit, WriteQueue } from './group-commit.js';
import { Portion, type Queries, run, type Statement } from './queries.js';
import { OneDatabase, type Site } from './sites.js';
import { Statements, type Update } from './statements.js';
import { inOrder, type Key, type Table } from './table.js';

/** The maximum attempts of a write whose row other instances keep changing. */
export const ATTEMPTS = 30;

/** Keys of the first statement that finds rows. */
const FIRST_KEYS = 64;

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

/** Changes that are made together, or not at all. */
export interface Transaction<Row> {
  readonly changes: readonly RowDecision<Row>[];
  /** The id of the caller who makes them. */
  readonly by: string | undefined;
  /** Throws if the texts of the rows have too many characters. Called as they are read. */
  readonly assertLength: ((length: number) => void) | undefined;
}

/** Reads and writes the rows of a table at one site. Those that are read or written at the same time share a statement. */
export class RowBatcher<Row extends ObjectLiteral> {
  private readonly statements: Statements<Row>;
  private readonly queue = new WriteQueue<QueuedWrite<Row>>((batch) => this.writeBatch(batch));
  private reading: Reading<Row> | undefined;
  /** Keys of a statement that finds rows. */
  private readonly portion = new Portion(FIRST_KEYS);
  /** The last read of a site; the next waits for it. */
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
    return rows.then((found) => found.get(key));
  }

  async change(key: Key, decide: Decide<Row>, isNew: boolean): Promise<Written<Row>> {
    let refusal: { readonly error: unknown } | undefined;
    const decideOrStay: Decide<Row> = (current) => {
      refusal = undefined;
      try {
        return decide(current);
      } catch (error) {
        refusal = { error };
        return current;
      }
    };
    const written = await submit(this.commits, this.queue, { key, decide: decideOrStay, isNew });
    if (refusal !== undefined) throw refusal.error;
    return written;
  }

  /** Makes all changes, or throws. The caller then rolls back. */
  async changeAll(
    { changes, by, assertLength }: Transaction<Row>,
    queries: Queries,
  ): Promise<Written<Row>[]> {
    const written: Written<Row>[] = [];
    const writes = changes.map((change, index) => ({
      ...change,
      by,
      isSettled: false,
      resolve: (result: Written<Row>) => (written[index] = result),
    }));
    await this.write(writes, new Set(changes.map(({ key }) => key)), queries, assertLength);
    if (writes.some(({ isSettled }) => !isSettled)) throw OVERTAKEN;
    return written;
  }

  /** Throws the error of the database if a row breaks one of its rules: the queue then tries halves of the batch. */
  private async writeBatch(batch: readonly QueuedWrite<Row>[]): Promise<void> {
    let open = batch;
    for (let attempt = 1; open.length > 0; attempt += 1) {
      if (attempt > ATTEMPTS) throw overtakenTooOften();
      // A create is tried without a read: the statement tells whether its key was free.
      const read = open.filter(({ isNew }) => attempt > 1 || !isNew);
      try {
        await this.write(open, new Set(read.map(({ key }) => key)));
      } catch (error) {
        if (!isOvertaken(error)) throw error;
      }
      open = open.filter(({ isSettled }) => !isSettled);
    }
  }

  /** Decides writes, stores their effects and settles them. Those whose rows have changed since they were read stay open. */
  private async write(
    writes: readonly Write<Row>[],
    read: ReadonlySet<Key>,
    queries?: Queries,
    assertLength?: (length: number) => void,
  ): Promise<void> {
    const found = await this.findAll([...read], queries, assertLength);
    const { deleted, others } = this.stepsOf(writes, found);
    await this.execute(
      deleted,
      (steps) => this.statements.delete(steps.map(({ before }) => before as Row)),
      queries,
    );
    const updated: Step<Row>[] = [];
    const inserted: Step<Row>[] = [];
    for (const step of others) {
      if (step.previous?.isDone === false) continue;
      if (step.before === step.after) settle(step);
      else (step.before === undefined ? inserted : updated).push(step);
    }
    await this.execute(updated, (steps) => this.statements.update(steps as readonly Update<Row>[]), queries);
    await this.execute(
      inserted,
      (steps) => this.statements.insert(steps.map(({ after }) => after as Row)),
      queries,
    );
    // These keys were free when they were read. Alone, each fails with the other rule that it breaks.
    for (const step of inserted.filter(({ key, isDone }) => !isDone && read.has(key)))
      await this.execute([step], () => this.statements.insertAlone(step.after as Row), queries);
  }

  /** Folds writes per key, in their order, each on the result of the one before. */
  private stepsOf(
    writes: readonly Write<Row>[],
    found: ReadonlyMap<Key, Row>,
  ): { readonly deleted: Step<Row>[]; readonly others: Step<Row>[] } {
    const steps: Step<Row>[] = [];
    const latest = new Map<Key, Step<Row>>();
    for (const write of writes) {
      const { key, by } = write;
      const previous = latest.get(key);
      const before = previous === undefined ? found.get(key) : previous.after;
      const written = { before, after: write.decide(before) };
      // Children, foreign keys and the feed tell a row from another one with its key: what is deleted is deleted first.
      const isAnother = previous?.before !== undefined && before === undefined && written.after !== undefined;
      let step = previous;
      if (step === undefined || isAnother) {
        step = { key, ...written, by, previous, isDone: false, settlements: [] };
        latest.set(key, step);
        steps.push(step);
      } else if (this.isChange(written)) step.by = by;
      step.after = written.after;
      step.settlements.push([write, written]);
    }
    return { deleted: steps.filter(isDeletion), others: steps.filter((step) => !isDeletion(step)) };
  }

  /** Runs statements that return the keys of the rows that they have written, and settles these. */
  private async execute(
    all: readonly Step<Row>[],
    statement: (steps: readonly Step<Row>[]) => Statement,
    queries: Queries = this.site,
  ): Promise<void> {
    for (const steps of slicesOf(inOrder(all, ({ key }) => key))) {
      const byKey = new Map(steps.map((step) => [step.key, step]));
      for (const row of await this.table.runWrite(queries, statement(steps), byKey))
        settle(byKey.get(this.table.decodeKey(row)) as Step<Row>);
    }
  }

  /**
   * Reads when all requests that the event loop has read have added their keys. At a site, the statement
   * waits for the previous one, so that more requests share it: a statement costs such a site more than its rows.
   */
  private readLater(): Reading<Row> {
    const keys: Key[] = [];
    const begun = Promise.all([immediate(), this.lastRead]).finally(() => (this.reading = undefined));
    const rows = begun.then(() => {
      if (sharedReads.hasSubscribers) sharedReads.publish(keys.length);
      return this.findAll([...new Set(keys)]);
    });
    if (!(this.site instanceof OneDatabase)) {
      this.lastRead = rows;
      const end = () => {
        if (this.lastRead === rows) this.lastRead = undefined;
      };
      rows.then(end, end);
    }
    return { keys, rows };
  }

  private async findAll(
    keys: readonly Key[],
    queries?: Queries,
    assertLength?: (length: number) => void,
  ): Promise<Map<Key, Row>> {
    const found = new Map<Key, Row>();
    let total = 0;
    for (let start = 0; start < keys.length;) {
      const slice = keys.slice(start, start + this.portion.rows);
      start += slice.length;
      const write = (from?: string) => this.statements.find(slice, from);
      const rows = await (queries ? run<ObjectLiteral>(queries, write()) : this.site.find(slice, write));
      let length = 0;
      for (const row of rows) {
        found.set(this.table.decodeKey(row), this.table.decode(row));
        length += this.table.lengthOf(row);
      }
      assertLength?.((total += length));
      this.portion.note(slice.length, length);
    }
    return found;
  }

  private isChange({ before, after }: Written<Row>): boolean {
    return before === undefined || after === undefined
      ? before !== after
      : !this.table.isEqual(before, after);
  }
}

/** A statement that several reads share. */
interface Reading<Row> {
  readonly keys: Key[];
  readonly rows: Promise<Map<Key, Row>>;
}

/** A write, and what settles it. */
interface Write<Row> extends RowDecision<Row>, Pick<Pending<Written<Row>>, 'by' | 'isSettled' | 'resolve'> {}

interface QueuedWrite<Row> extends RowDecision<Row>, Pending<Written<Row>> {
  /** Whether the row most likely does not exist. */
  readonly isNew: boolean;
}

/** The effect of some writes on one row, in their order. */
interface Step<Row> {
  readonly key: Key;
  readonly before: Row | undefined;
  after: Row | undefined;
  /** Who has made the last change of the row. */
  by: string | undefined;
  /** The deletion of the row that had this key. */
  readonly previous: Step<Row> | undefined;
  isDone: boolean;
  readonly settlements: (readonly [Write<Row>, Written<Row>])[];
}

function isDeletion<Row>({ before, after }: Step<Row>): boolean {
  return before !== undefined && after === undefined;
}

function settle<Row>(step: Step<Row>): void {
  step.isDone = true;
  for (const [write, written] of step.settlements) {
    write.isSettled = true;
    write.resolve(written);
  }
}

/** Splits rows into slices for one statement each. */
function slicesOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  const count = Math.ceil(items.length / MAX_BATCH);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_BATCH, (index + 1) * MAX_BATCH));
}

export function overtakenTooOften(): ApiException {
  return unavailable('Other instances have changed it too often meanwhile.');
}
