import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { snapshotOptions } from '../database/data-source-options.js';
import { unavailable } from '../errors/unavailable.js';
import type { Queries } from './rows.js';

/** Snapshots that there are at a time at most: the database has to keep each. */
const MAX_SNAPSHOTS = 4;

/** The database as it is at one moment, for whoever reads more than one statement should. */
@Injectable()
export class Snapshots implements OnApplicationShutdown {
  /** Each resolves when a snapshot has closed its connection. */
  private readonly open = new Set<Promise<void>>();
  /** On PostgreSQL each snapshot has a connection of the pool, and half of them are for everyone else. */
  private readonly limit: number;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
  ) {
    const { database } = settings;
    this.limit =
      database.type === 'postgres'
        ? Math.min(MAX_SNAPSHOTS, Math.floor(database.poolSize / 2))
        : MAX_SNAPSHOTS;
  }

  /**
   * Lets `read` see the database as it is when it begins.
   *
   * @throws ApiException 50300 when there are too many snapshots.
   */
  async *read<Item>(read: (queries: Queries) => AsyncGenerator<Item>): AsyncGenerator<Item, void> {
    if (this.open.size >= this.limit) throw unavailable('Too many exports and counts are running.');
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.open.add(closed);
    const { database } = this.settings;
    // On SQLite a transaction belongs to the connection, of which the service has one.
    const own = database.type === 'sqlite' ? new DataSource(snapshotOptions(database)) : undefined;
    try {
      await own?.initialize();
      yield* inTransaction(own ?? this.dataSource, read);
    } finally {
      if (own?.isInitialized) await own.destroy();
      this.open.delete(closed);
      close();
    }
  }

  /** Whoever was reading when its client was cut off has let go of the database before the service ends. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.open);
  }
}

/** Lets `read` see one state of a database, on a connection of its own. */
async function* inTransaction<Item>(
  dataSource: DataSource,
  read: (queries: Queries) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const isPostgres = dataSource.options.type === 'postgres';
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction(isPostgres ? 'REPEATABLE READ' : undefined);
    // Whoever reads may take a while over a page.
    if (isPostgres) await queryRunner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    yield* read(queryRunner);
    await queryRunner.commitTransaction();
  } finally {
    // Whoever reads may stop before the end. A connection that is lost has ended its transaction.
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    await queryRunner.release();
  }
}
