import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import type { Cluster, Worker } from '../features/citus/cluster.js';
import { PostgresDataSource } from '../features/citus/postgres-data-source.js';
import { waitFor } from '../logging/request-context.js';
import { type GroupCommit, Lane, MAX_BATCH } from './group-commit.js';
import { readParts } from './parts.js';
import {
  ATTEMPTS,
  type Change,
  type Decide,
  inOrder,
  isOvertaken,
  OVERTAKEN,
  overtakenTooOften,
  type Pending,
  Place,
  type Plan,
  type Queries,
  run,
  submit,
  type Written,
} from './place.js';
import {
  countStatement,
  FIRST_ROWS,
  lastOf,
  nextLimit,
  positionOf,
  type Range,
  rangeStatements,
  type RowsAsJson,
} from './range.js';
import type { Statement } from './statements.js';
import { type Key, Table } from './table.js';

/** The maximum number of rows of a range that one statement reads. */
const MAX_ROWS = 128;

/** The rows of one entity, wherever they are. */
export class Rows<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  /** The rows that are in the workers of a cluster. */
  private readonly places = new WeakMap<Worker, Place<Row>>();
  private readonly database: Place<Row>;
  private readonly cluster: Cluster | undefined;
  /** A transaction has a turn of its own, so that other writes wait for one of them at most. */
  private readonly transactions = new Lane<Transaction<Row>>(([first]) => this.transact(first), 1);

  constructor(
    private readonly dataSource: DataSource,
    entity: EntityTarget<Row>,
    private readonly commits: GroupCommit,
  ) {
    this.table = new Table(dataSource, entity);
    this.database = new Place(this.table, dataSource, commits);
    this.cluster = dataSource instanceof PostgresDataSource ? dataSource.cluster : undefined;
  }

  find(key: Key): Promise<Row | undefined> {
    return this.placeOf(key).find(key);
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
    return this.placeOf(key).change(key, decide, isNew);
  }

  /**
   * Makes all changes in one transaction, each on the result of those before, or none if one of them throws.
   *
   * @throws ApiException 50300 when too many writes are waiting, or other instances keep changing the rows.
   * @throws QueryFailedError when a row breaks a rule of the database, such as a foreign key.
   */
  changeAll(changes: readonly Change<Row>[]): Promise<Written<Row>[]> {
    return submit(this.commits, this.transactions, { changes });
  }

  /** Reads a range in its order as JSON, `wanted` rows at a time; without that, as many as are some 100 KiB. */
  async *read(
    range: Range,
    wanted?: number,
    queries: Queries = this.cluster?.everywhere ?? this.dataSource,
  ): AsyncGenerator<RowsAsJson> {
    let limit = wanted === undefined ? FIRST_ROWS : Math.min(wanted, MAX_ROWS);
    for (let rest: Range | undefined = range; rest !== undefined;) {
      const merged: RowsAsJson | undefined = await this.readWorkers(rest, limit, queries);
      const statements: Statement[] = rangeStatements(this.table, rest, limit);
      rest = undefined;
      for (const statement of statements) {
        const [found] = merged ? [merged] : await waitFor('database', run<RowsAsJson>(queries, statement));
        const { text, count } = { text: found?.text ?? '', count: Number(found?.count) };
        if (count > 0) yield { text, count };
        if (count < limit) continue;
        rest = { ...range, after: positionOf(this.table, range, this.table.parse(lastOf(text))) };
        if (wanted === undefined) limit = nextLimit(limit, text);
        break;
      }
    }
  }

  async count(range: Range, queries: Queries): Promise<number> {
    const statement = countStatement(this.table, range);
    const [counted] = await waitFor('database', run<{ count: number | string }>(queries, statement));
    return Number(counted?.count);
  }

  /** Undefined when the database has to read them itself. */
  private readWorkers(
    range: Range,
    limit: number,
    queries: Queries,
  ): Promise<RowsAsJson | undefined> | undefined {
    if (queries !== this.cluster?.everywhere || range.source !== undefined) return undefined;
    const parts = this.cluster.partsOf(this.table.distribution);
    return parts && waitFor('database', readParts(this.table, range, limit, parts));
  }

  private placeOf(key: Key): Place<Row> {
    const worker = this.cluster?.workerOf(this.table.distribution, key);
    if (worker === undefined) return this.database;
    let place = this.places.get(worker);
    if (place === undefined)
      this.places.set(worker, (place = new Place(this.table, worker, this.commits.forWorker())));
    return place;
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
        settle: () => undefined,
      });
      const plans = new Map<Key, Plan<Row>>(slice.map((key) => [key, planOfKey(key)]));
      await this.database.apply(plans, true, queries);
      if (plans.size > 0) await this.database.apply(plans, false, queries);
      // A row is not as it was read.
      if (plans.size > 0) throw OVERTAKEN;
    }
    return written;
  }
}

interface Transaction<Row> extends Pending<Written<Row>[]> {
  readonly changes: readonly Change<Row>[];
}

/** Splits rows into as many as one statement takes. */
function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / MAX_BATCH);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_BATCH, (index + 1) * MAX_BATCH));
}
