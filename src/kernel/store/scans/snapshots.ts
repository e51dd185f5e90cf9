import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../../config/settings.js';
import { Semaphore } from '../../database/semaphore.js';
import type { Snapshot } from '../../database/sqlite/snapshot-thread.js';
import { SqliteDataSource } from '../../database/sqlite/sqlite-data-source.js';
import { type ApiException, unavailable } from '../../errors/api.exception.js';
import type { Queries } from '../queries.js';

/** The maximum number of open snapshots: the database keeps old rows for each. */
const MAX_SNAPSHOTS = 4;

/** The maximum number of readers that wait for a snapshot to end. */
const MAX_WAITING = 100;

/** Milliseconds for which a reader waits. Many searches may be ahead. */
const WAIT_MS = 10_000;

/** Runs several statements on one snapshot of the database. */
@Injectable()
export class Snapshots implements OnApplicationShutdown {
  /** Each resolves when a snapshot has released its connection. */
  private readonly open = new Set<Promise<void>>();
  private readonly slots: Semaphore;

  constructor(
    private readonly dataSource: DataSource,
    { database }: Settings,
  ) {
    // On PostgreSQL, each takes a connection of the pool. Half of these are for everything else.
    const connections = database.type === 'postgres' ? Math.floor(database.poolSize / 2) : MAX_SNAPSHOTS;
    this.slots = new Semaphore(Math.min(MAX_SNAPSHOTS, connections), {
      mostWaiting: MAX_WAITING,
      timeout: WAIT_MS,
      refusal: tooMany,
    });
  }

  /**
   * Lets `read` see the database as it is when it begins.
   *
   * @param mayWait whether the reader waits, up to 10 s, when there are too many snapshots.
   * @throws ApiException 50300 when there are too many snapshots.
   */
  async *read<Item>(
    read: (queries: Queries) => AsyncGenerator<Item>,
    mayWait = false,
  ): AsyncGenerator<Item, void> {
    // One is kept for pages, which are short: exports and counts never take them all.
    if (!mayWait && this.slots.taken >= Math.max(1, this.slots.most - 1)) throw tooMany();
    await this.slots.take();
    const { promise: closed, resolve: setClosed } = Promise.withResolvers<void>();
    this.open.add(closed);
    let snapshot: Snapshot | undefined;
    try {
      snapshot = await openSnapshot(this.dataSource);
      yield* read(snapshot);
    } finally {
      // The reader may have stopped before the end. A connection that is lost has ended its snapshot.
      await snapshot?.close().catch(() => undefined);
      this.open.delete(closed);
      setClosed();
      this.slots.release();
    }
  }

  /** Like `read()`, for a single result. */
  async readOnce<Result>(read: (queries: Queries) => Promise<Result>, mayWait = false): Promise<Result> {
    const results = this.read(async function* (queries) {
      yield await read(queries);
    }, mayWait);
    const { value } = await results.next();
    await results.return();
    return value as Result;
  }

  /** Waits until readers whose clients were cut off have released the database. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.open);
  }
}

async function openSnapshot(dataSource: DataSource): Promise<Snapshot> {
  if (dataSource instanceof SqliteDataSource) return dataSource.openSnapshot();
  const queryRunner = dataSource.createQueryRunner('slave');
  const close = async () => {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    await queryRunner.release();
  };
  try {
    await queryRunner.startTransaction('REPEATABLE READ');
    // A slow client may leave the transaction idle for a while.
    await queryRunner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    return { query: (text, parameters) => queryRunner.query(text, parameters), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function tooMany(): ApiException {
  return unavailable('Too many exports, counts and other long reads are running.');
}
