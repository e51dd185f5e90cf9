import { DataSource, type EntityManager } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { type Snapshot, SnapshotThread } from './snapshot-thread.js';
import { SqliteConnection } from './sqlite-connection.js';
import { type Lease, SqliteQueryRunner } from './sqlite-query-runner.js';
import { StoreGuard } from './store-guard.js';
import { WriteTurns } from './write-turns.js';

interface Timeouts {
  /** Milliseconds that a writer may wait for its turn. */
  readonly turn: number;
  /** Milliseconds after which a transaction is rolled back if nothing happens in it. */
  readonly idle: number;
}

/**
 * A data source on a SQLite file in which transactions are as separate as on PostgreSQL.
 *
 * TypeORM alone has one connection: what one request writes becomes a part of the open transaction of another one, and is
 * lost when that rolls back. Here single statements share one connection, and the current transaction has another.
 */
export class SqliteDataSource extends DataSource {
  readonly turns: WriteTurns;
  readonly idleTimeout: number;
  readonly guard: StoreGuard;
  private readonly snapshots: SnapshotThread;
  private writer: SqliteConnection | undefined;

  constructor(options: BetterSqlite3DataSourceOptions, { turn, idle }: Timeouts) {
    // SqliteConnection caches statements.
    super({ ...options, driver: SqliteConnection, statementCacheSize: 0 });
    this.turns = new WriteTurns(turn);
    this.idleTimeout = idle;
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
