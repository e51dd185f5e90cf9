import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Driver, QueryResult } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { Slices } from '../../limits/event-loop.js';
import type { SqliteConnection } from './sqlite-connection.js';
import type { StoreGuard } from './store-guard.js';
import type { WriteTurns } from './write-turns.js';

/** The connection of one transaction. */
export interface Lease {
  readonly connection: SqliteConnection;
  /** Rolls back what is not committed, and frees the connection. */
  readonly giveBack: () => void;
}

/** What query runners have in common. */
interface Source {
  readonly driver: Driver;
  /** The connection of statements outside of transactions. */
  readonly shared: SqliteConnection;
  readonly turns: WriteTurns;
  readonly guard: StoreGuard;
  /** Milliseconds after which a transaction is rolled back if nothing happens in it. */
  readonly idleTimeout: number;
  leaseWriter(): Promise<Lease>;
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
export class SqliteQueryRunner extends BetterSqlite3QueryRunner {
  private static readonly logger = new Logger(SqliteQueryRunner.name);
  private lease: Lease | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly source: Source) {
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
  else if (typeof result === 'bigint') return toNumber(result);
  return result;
}

function convert(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'bigint') row[name] = toNumber(value);
  }
}

function toNumber(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}
