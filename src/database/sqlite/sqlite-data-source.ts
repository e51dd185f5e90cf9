import { Logger } from '@nestjs/common';
import { SqliteError } from 'better-sqlite3';
import { DataSource, type EntityManager, QueryFailedError, type ReplicationMode } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { SqliteConnection } from './sqlite-connection.js';
import { SqliteQueryRunner } from './sqlite-query-runner.js';
import { identityOf, IN_USE } from './store-file.js';
import { WriteTurns } from './write-turns.js';

/** Milliseconds between two looks at whether the file is still in its place. */
const LOOK_MS = 1_000;

/** The connection of one transaction. */
export interface Lease {
  readonly connection: SqliteConnection;
  /** Rolls back what is not committed, and frees the connection. */
  readonly giveBack: () => void;
}

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
  private static readonly log = new Logger(SqliteDataSource.name);
  private writer: SqliteConnection | undefined;
  /** Why nothing can be read or written: the file is not in its place, and what is written to it would be lost. */
  private displacement: Error | undefined;
  /** `PRAGMA user_version` as it was before this process wrote to the store. */
  private formerVersion: number | undefined;
  /** Which files it uses. */
  private identities = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(options: BetterSqlite3DataSourceOptions, { turn, idle }: Timeouts) {
    // SqliteConnection caches statements.
    super({ ...options, driver: SqliteConnection, statementCacheSize: 0 });
    this.turns = new WriteTurns(turn);
    this.idleTimeout = idle;
  }

  /** @param mode `slave` for a transaction that only reads, and does not wait for its turn. */
  override createQueryRunner(
    mode: ReplicationMode = 'master',
  ): SqliteQueryRunner & { manager: EntityManager } {
    const runner = new SqliteQueryRunner(this, mode);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }

  /**
   * Marks the store as in use, and looks from now on whether its file is still in its place.
   *
   * @param before which file it was before anything was read of it.
   * @throws Error if another one has its place since then.
   */
  guard(before: string | undefined): void {
    if (before !== undefined && identityOf(this.path) !== before) throw moved('The file was replaced.');
    this.formerVersion = this.shared.pragma('user_version', { simple: true }) as number;
    this.shared.pragma(`user_version = ${IN_USE}`);
    // Into the file itself, where it is also found without the log.
    this.shared.pragma('wal_checkpoint');
    this.identities = this.identitiesNow();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  override async destroy(): Promise<void> {
    clearInterval(this.timer);
    this.writer?.close();
    if (this.formerVersion !== undefined && !this.isCorrupt && this.look()) this.leave(this.formerVersion);
    await super.destroy();
  }

  /** Looks whether the file and its log are in their place. */
  private look(): boolean {
    const isInPlace = this.identitiesNow() === this.identities;
    if (isInPlace) this.displacement = undefined;
    else if (this.displacement === undefined) {
      const reason = `The file ${this.path} or its log was moved, removed or replaced.`;
      this.displacement = moved(reason);
      SqliteDataSource.log.error(
        `${reason} Put it back; see docs/operations.md before you stop the service.`,
      );
    }
    return isInPlace;
  }

  private identitiesNow(): string {
    return [this.path, `${this.path}-wal`].map(identityOf).join();
  }

  private get path(): string {
    return (this.options as BetterSqlite3DataSourceOptions).database;
  }

  /** @throws Error if statements cannot use the file. */
  requireInPlace(): void {
    if (this.displacement !== undefined) throw this.displacement;
  }

  /** Whether SQLite has found the file corrupt. Writes are refused then: they could damage it further. */
  get isCorrupt(): boolean {
    return this.turns.refusal !== undefined;
  }

  /** Looks at why a statement failed. */
  lookForCorruption(error: unknown): void {
    const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
    if (this.isCorrupt || !(cause instanceof SqliteError) || !/^SQLITE_(CORRUPT|NOTADB)/.test(cause.code))
      return;
    this.turns.refusal = cause;
    SqliteDataSource.log.error(
      `The database is corrupt, and refuses writes: ${cause.message}. See docs/operations.md.`,
    );
  }

  /** Merges the log into the file. The mark goes before the log, so that a file without both is always whole. */
  private leave(formerVersion: number): void {
    try {
      this.shared.pragma('busy_timeout = 0');
      this.shared.pragma('user_version = 0');
      this.shared.pragma('journal_mode = DELETE');
    } catch {
      // Another process uses the store, and the log stays.
      this.shared.pragma(`user_version = ${formerVersion}`);
    }
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

  leaseReader(): Lease {
    const connection = this.open({ readonly: true });
    return { connection, giveBack: () => connection.close() };
  }

  private giveBack(writer: SqliteConnection): void {
    try {
      if (writer.inTransaction) writer.exec('ROLLBACK');
    } finally {
      this.turns.end();
    }
  }

  private open(options: { readonly readonly?: boolean } = {}): SqliteConnection {
    const { timeout, prepareDatabase } = this.options as BetterSqlite3DataSourceOptions;
    const connection = new SqliteConnection(this.path, { timeout, ...options });
    void prepareDatabase?.(connection);
    return connection;
  }
}

function moved(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' });
}
