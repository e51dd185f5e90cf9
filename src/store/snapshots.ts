import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { unavailable } from '../errors/api.exception.js';
import type { Queries } from './rows.js';

/** The maximum number of open snapshots: the database keeps old rows for each. */
const MAX_SNAPSHOTS = 4;

/** The database as it is at one moment, for whoever reads more than one statement should. */
@Injectable()
export class Snapshots implements OnApplicationShutdown {
  /** Each resolves when a snapshot has let go of its connection. */
  private readonly open = new Set<Promise<void>>();
  /** On PostgreSQL each snapshot has a connection of the pool, and half of them are for everyone else. */
  private readonly limit: number;

  constructor(
    private readonly dataSource: DataSource,
    { database }: Settings,
  ) {
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
    try {
      yield* this.inTransaction(read);
    } finally {
      this.open.delete(closed);
      close();
    }
  }

  /** Whoever was reading when its client was cut off has let go of the database before the service ends. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.open);
  }

  private async *inTransaction<Item>(read: (queries: Queries) => AsyncGenerator<Item>): AsyncGenerator<Item> {
    const queryRunner = this.dataSource.createQueryRunner('slave');
    try {
      await queryRunner.startTransaction('REPEATABLE READ');
      // Whoever reads may take a while over a page.
      if (this.dataSource.options.type === 'postgres')
        await queryRunner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      yield* read(queryRunner);
      await queryRunner.commitTransaction();
    } finally {
      // Whoever reads may stop before the end. A connection that is lost has ended its transaction.
      if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
      await queryRunner.release();
    }
  }
}
