import { Logger } from '@nestjs/common';
import { type EntityManager, QueryResult, type QueryRunner } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import type { DatabaseSettings } from '../../config/settings.js';
import { takeStatementTurn } from '../event-loop.js';
import { exactInteger } from '../column-types.js';
import { Semaphore } from '../semaphore.js';
import { StoreDataSource } from '../store-data-source.js';
import { type Snapshot, SnapshotThread } from './snapshot-thread.js';
import { SqliteConnection } from './sqlite-connection.js';
import { StoreGuard } from './store-guard.js';

/** The maximum number of waiting writers. */
const MOST_WAITING_WRITERS = 1_000;

/**
 * A data source on a SQLite file that isolates transactions as PostgreSQL does.
 *
 * TypeORM alone has one connection: a write of one request joins the open transaction of another request, and is lost if that
 * rolls back. Here, single statements share one connection, and the current transaction has its own.
 */
export class SqliteDataSource extends StoreDataSource {
  private static readonly logger = new Logger(SqliteDataSource.name);
  /** Lets one writer at a time use the file. SQLite allows one anyway, and waiting for its lock blocks the event loop. */
  readonly writeLock: Semaphore;
  readonly guard: StoreGuard;
  readonly snapshots: SnapshotThread;
  private writer: SqliteConnection | undefined;
  private readonly preparations: ((connection: SqliteConnection) => void)[] = [];
  /** Runs all single statements. TypeORM would make a runner and an entity manager for each. */
  private readonly alone = this.createQueryRunner();

  constructor(
    options: BetterSqlite3DataSourceOptions,
    readonly timeouts: DatabaseSettings,
  ) {
    // SqliteConnection caches statements.
    super({ ...options, driver: SqliteConnection, statementCacheSize: 0 });
    this.writeLock = new Semaphore(1, {
      mostWaiting: MOST_WAITING_WRITERS,
      timeout: timeouts.statementTimeout,
      refusal: () => Object.assign(new Error('Other writes take too long.'), { code: 'SQLITE_BUSY' }),
    });
    this.guard = new StoreGuard(options.database);
    this.snapshots = new SnapshotThread(options.database, this.guard);
  }

  override createQueryRunner(): SqliteQueryRunner & { manager: EntityManager } {
    const runner = new SqliteQueryRunner(this);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }

  override query<Result>(
    text: string,
    parameters?: unknown[],
    runner: QueryRunner = this.alone,
  ): Promise<Result> {
    return super.query(text, parameters, runner);
  }

  override async destroy(): Promise<void> {
    this.writer?.close();
    this.guard.end();
    await this.snapshots.end();
    await super.destroy();
  }

  /** The connection for statements outside of transactions. */
  get shared(): SqliteConnection {
    return (this.driver as BetterSqlite3Driver).databaseConnection as SqliteConnection;
  }

  /** Waits for the write lock. */
  async leaseWriter(): Promise<Lease> {
    await this.writeLock.take();
    try {
      const connection = (this.writer ??= this.open());
      return { connection, giveBack: () => this.giveBack(connection) };
    } catch (error) {
      this.writeLock.release();
      throw error;
    }
  }

  /** Calls `prepare` for each connection that can write: now if it is open, otherwise when it opens. */
  async prepareConnections(prepare: (connection: SqliteConnection) => void): Promise<void> {
    const { connection, giveBack } = await this.leaseWriter();
    try {
      for (const open of [this.shared, connection]) prepare(open);
      this.preparations.push(prepare);
    } finally {
      giveBack();
    }
  }

  /** Opens a view of the store as it is at the first statement. */
  openSnapshot(): Snapshot {
    const snapshot = this.snapshots.open();
    return { ...snapshot, query: async (...statement) => exact(await snapshot.query(...statement)) };
  }

  private giveBack(writer: SqliteConnection): void {
    try {
      if (writer.inTransaction) writer.exec('ROLLBACK');
    } catch (error) {
      SqliteDataSource.logger.warn(error);
      // Closing rolls back.
      writer.close();
      this.writer = undefined;
    } finally {
      this.writeLock.release();
    }
  }

  private open(): SqliteConnection {
    const { database, timeout, prepareDatabase } = this.options as BetterSqlite3DataSourceOptions;
    // A file that was moved a moment ago must not be created anew: its log is still in use.
    const connection = new SqliteConnection(database, { timeout, fileMustExist: true });
    void prepareDatabase?.(connection);
    for (const prepare of this.preparations) prepare(connection);
    return connection;
  }
}

/** The connection of one transaction. */
interface Lease {
  readonly connection: SqliteConnection;
  /** Rolls back what is not committed, and frees the connection. */
  readonly giveBack: () => void;
}

/** The statement with which TypeORM begins a transaction. */
const BEGIN = 'BEGIN TRANSACTION';

/** A statement that begins a transaction, even after comments. */
const OPENS_TRANSACTION = /^(?:[\s;]|--.*\n|\/\*[^]*?\*\/)*(?:BEGIN|SAVEPOINT)\b/i;

/**
 * Runs statements on a SQLite file, and transactions on a separate connection.
 *
 * A transaction takes the write lock when it begins; a single statement only if it writes.
 */
class SqliteQueryRunner extends BetterSqlite3QueryRunner {
  private static readonly logger = new Logger(SqliteQueryRunner.name);
  private lease: Lease | undefined;
  private idle: NodeJS.Timeout | undefined;
  private overdue: NodeJS.Timeout | undefined;
  /** Why the transaction was rolled back. */
  private failure: Error | undefined;

  constructor(private readonly source: SqliteDataSource) {
    super(source.driver as BetterSqlite3Driver);
  }

  override connect(): Promise<SqliteConnection> {
    return Promise.resolve(this.lease?.connection ?? this.source.shared);
  }

  /** Begins a transaction or a savepoint. Every isolation level is serializable. */
  override async startTransaction(): Promise<void> {
    if (!this.isTransactionActive) {
      if (this.source.guard.corruption !== undefined) throw this.source.guard.corruption;
      this.lease = await this.source.leaseWriter();
      this.failure = undefined;
      const { idleInTransactionTimeout: idle, transactionTimeout: most } = this.source.timeouts;
      this.idle = setTimeout(() => this.rollBack(`nothing happened in it for ${idle} ms`), idle).unref();
      this.overdue = setTimeout(() => this.rollBack(`it took more than ${most} ms`), most).unref();
    }
    try {
      await super.startTransaction();
    } catch (error) {
      if (this.transactionDepth === 0) this.end();
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    await super.commitTransaction();
    if (this.transactionDepth === 0) this.end();
  }

  override async rollbackTransaction(): Promise<void> {
    if (this.lease?.connection.inTransaction) await super.rollbackTransaction();
    else this.transactionDepth = 0;
    if (this.transactionDepth === 0) this.end();
  }

  /** Rolls back a transaction that was not committed. */
  override async release(): Promise<void> {
    this.end();
    this.isReleased = true;
    await super.release();
  }

  override async query(
    text: string,
    parameters?: unknown[],
    useStructuredResult = false,
  ): ReturnType<BetterSqlite3QueryRunner['query']> {
    const { guard } = this.source;
    const isAlone = !this.isTransactionActive;
    const begins = !isAlone && this.transactionDepth === 0 && text === BEGIN;
    const run = async () => {
      await takeStatementTurn();
      if (guard.displacement !== undefined) throw guard.displacement;
      // SQLite rolls back by itself when the disk is full; later statements would run outside of the transaction.
      if (!isAlone && !(begins ? this.lease : this.lease?.connection.inTransaction))
        throw this.failure ?? rolledBack('SQLite has ended it');
      try {
        const statement = begins ? 'BEGIN IMMEDIATE' : text;
        const values = parameters && numbered(text) ? [named(parameters)] : parameters;
        return exact((await super.query(statement, values, useStructuredResult)) as unknown);
      } catch (error) {
        guard.examine(error);
        throw error;
      } finally {
        this.idle?.refresh();
      }
    };
    return isAlone ? this.runAlone(text, run) : run();
  }

  /** Runs a statement outside of transactions. */
  private async runAlone(text: string, run: () => Promise<unknown>): Promise<unknown> {
    // On the shared connection, statements of other requests would join the transaction.
    if (OPENS_TRANSACTION.test(text)) throw new Error('Begin a transaction with startTransaction().');
    if (!this.source.shared.isWrite(text)) return run();
    if (this.source.guard.corruption !== undefined) throw this.source.guard.corruption;
    const lock = this.source.writeLock.take();
    if (lock !== undefined) await lock;
    try {
      return await run();
    } finally {
      this.source.writeLock.release();
    }
  }

  /** Rolls back. Later statements of the transaction then fail, which tells its caller. */
  private rollBack(reason: string): void {
    this.failure = rolledBack(reason);
    SqliteQueryRunner.logger.warn(this.failure.message);
    this.giveBack();
  }

  private end(): void {
    this.isTransactionActive = false;
    this.giveBack();
  }

  private giveBack(): void {
    clearTimeout(this.idle);
    clearTimeout(this.overdue);
    this.idle = undefined;
    this.lease?.giveBack();
    this.lease = undefined;
  }
}

/** Whether a statement has the placeholders `$1`, `$2` of PostgreSQL, which for SQLite are names. */
function numbered(text: string): boolean {
  return text.includes('$1') && !text.includes('?');
}

function named(parameters: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(parameters.map((value, index) => [index + 1, value]));
}

function rolledBack(reason: string): Error {
  return Object.assign(new Error(`The transaction was rolled back: ${reason}.`), {
    code: 'SQLITE_ABORT_ROLLBACK',
  });
}

/** Converts the integers of a result to numbers, unless that would round them. */
function exact(result: unknown): unknown {
  if (result instanceof QueryResult) result.raw = exact(result.raw);
  else if (Array.isArray(result)) for (const row of result as Record<string, unknown>[]) convert(row);
  else if (typeof result === 'bigint') return exactInteger(result);
  return result;
}

function convert(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'bigint') row[name] = exactInteger(value);
  }
}
