import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource, type EntityManager, QueryResult } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import type { DatabaseTimeouts } from '../../config/settings.js';
import { Slices } from '../../limits/event-loop.js';
import { exactInteger } from '../column-types.js';
import { type Snapshot, SnapshotThread } from './snapshot-thread.js';
import { SqliteConnection } from './sqlite-connection.js';
import { StoreGuard } from './store-guard.js';
import { WriteTurns } from './write-turns.js';

/**
 * A data source on a SQLite file in which transactions are as separate as on PostgreSQL.
 *
 * TypeORM alone has one connection: what one request writes becomes a part of the open transaction of another one, and is
 * lost when that rolls back. Here single statements share one connection, and the current transaction has another.
 */
export class SqliteDataSource extends DataSource {
  private static readonly logger = new Logger(SqliteDataSource.name);
  readonly turns: WriteTurns;
  readonly idleTimeout: number;
  readonly guard: StoreGuard;
  private readonly snapshots: SnapshotThread;
  private writer: SqliteConnection | undefined;

  constructor(options: BetterSqlite3DataSourceOptions, timeouts: DatabaseTimeouts) {
    // SqliteConnection caches statements.
    super({ ...options, driver: SqliteConnection, statementCacheSize: 0 });
    this.turns = new WriteTurns(timeouts.statementTimeout);
    this.idleTimeout = timeouts.idleInTransactionTimeout;
    this.guard = new StoreGuard(options.database);
    this.snapshots = new SnapshotThread(options.database, this.guard);
  }

  override createQueryRunner(): SqliteQueryRunner & { manager: EntityManager } {
    const runner = new SqliteQueryRunner(this);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }

  override async destroy(): Promise<void> {
    this.writer?.close();
    this.guard.end();
    await this.snapshots.end();
    await super.destroy();
  }

  /** The connection of statements outside of transactions. */
  get shared(): SqliteConnection {
    return (this.driver as BetterSqlite3Driver).databaseConnection as SqliteConnection;
  }

  /** Waits for the turn to write. */
  async leaseWriter(): Promise<Lease> {
    await this.turns.begin();
    try {
      const connection = (this.writer ??= this.open());
      return { connection, giveBack: () => this.giveBack(connection) };
    } catch (error) {
      this.turns.end();
      throw error;
    }
  }

  /** The store as it is at the first statement. */
  openSnapshot(): Snapshot {
    return this.snapshots.open();
  }

  private giveBack(writer: SqliteConnection): void {
    try {
      if (writer.inTransaction) writer.exec('ROLLBACK');
    } catch (error) {
      SqliteDataSource.logger.warn(error);
      // To close it rolls back, too.
      writer.close();
      this.writer = undefined;
    } finally {
      this.turns.end();
    }
  }

  private open(): SqliteConnection {
    const { database, timeout, prepareDatabase } = this.options as BetterSqlite3DataSourceOptions;
    // A file that was moved a moment ago may not be made anew: the log beside it is still in use.
    const connection = new SqliteConnection(database, { timeout, fileMustExist: true });
    void prepareDatabase?.(connection);
    return connection;
  }
}

/** The connection of one transaction. */
interface Lease {
  readonly connection: SqliteConnection;
  /** Rolls back what is not committed, and frees the connection. */
  readonly giveBack: () => void;
}

/** Statements of all query runners. */
const statements = new Slices();

/** What TypeORM begins a transaction with. */
const BEGIN = 'BEGIN TRANSACTION';

/** A statement that begins a transaction, also after comments. */
const OPENS_TRANSACTION = /^(?:[\s;]|--.*\n|\/\*[^]*?\*\/)*(?:BEGIN|SAVEPOINT)\b/i;

/**
 * Runs statements on a SQLite file, and a transaction on a connection of its own.
 *
 * A transaction takes the turn to write when it begins, a single statement if it writes.
 */
class SqliteQueryRunner extends BetterSqlite3QueryRunner {
  private static readonly logger = new Logger(SqliteQueryRunner.name);
  private lease: Lease | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly source: SqliteDataSource) {
    super(source.driver as BetterSqlite3Driver);
  }

  override connect(): Promise<SqliteConnection> {
    return Promise.resolve(this.lease?.connection ?? this.source.shared);
  }

  /** Begins a transaction or a savepoint. All are serializable, whatever isolation level is asked for. */
  override async startTransaction(): Promise<void> {
    if (!this.isTransactionActive) {
      if (this.source.guard.corruption !== undefined) throw this.source.guard.corruption;
      this.lease = await this.source.leaseWriter();
      this.idle = setTimeout(() => this.rollBackIdle(), this.source.idleTimeout).unref();
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
    while (statements.isOver()) await turnOfTheEventLoop();
    const { guard } = this.source;
    if (guard.displacement !== undefined) throw guard.displacement;
    const run = async (statement = text) => {
      try {
        return exact((await super.query(statement, parameters, useStructuredResult)) as unknown);
      } catch (error) {
        guard.examine(error);
        throw error;
      }
    };
    if (!this.isTransactionActive) return this.runAlone(text, run);
    if (this.transactionDepth === 0 && text === BEGIN) return run('BEGIN IMMEDIATE');
    // SQLite rolls back by itself when the disk is full; later statements would run outside of the transaction.
    if (!this.lease?.connection.inTransaction) throw rolledBack();
    try {
      return await run();
    } finally {
      this.idle?.refresh();
    }
  }

  /** Runs a statement outside of transactions. */
  private async runAlone(text: string, run: () => Promise<unknown>): Promise<unknown> {
    // On the shared connection, statements of others would become a part of it.
    if (OPENS_TRANSACTION.test(text)) throw new Error('Begin a transaction with startTransaction().');
    if (!this.source.shared.isWrite(text)) return run();
    if (this.source.guard.corruption !== undefined) throw this.source.guard.corruption;
    const turn = this.source.turns.begin();
    if (turn !== undefined) await turn;
    try {
      return await run();
    } finally {
      this.source.turns.end();
    }
  }

  /** Later statements of the transaction fail, which tells its caller. */
  private rollBackIdle(): void {
    SqliteQueryRunner.logger.warn(
      `A transaction is rolled back: nothing happened in it for ${this.source.idleTimeout} ms.`,
    );
    this.lease?.giveBack();
    this.lease = undefined;
  }

  private end(): void {
    this.isTransactionActive = false;
    clearTimeout(this.idle);
    this.lease?.giveBack();
    this.lease = undefined;
  }
}

function rolledBack(): Error {
  return Object.assign(new Error('The transaction was rolled back.'), { code: 'SQLITE_ABORT_ROLLBACK' });
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
