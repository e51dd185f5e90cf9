import { setImmediate as turnOfTheEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { type DataSource, QueryFailedError } from 'typeorm';
import type { Queries } from '../../kernel/store/queries.js';
import type { ServerAddress } from '../../kernel/config/server-address.js';
import type { Open } from './open-server.js';

/** Milliseconds between two checks of a worker, and after which a check fails: a lost path is noticed within 2 seconds. */
const CHECK_EVERY_MS = 500;
const CHECK_TIMEOUT_MS = 1_000;

/**
 * A worker of a cluster, which runs statements itself, or through the coordinator while it cannot be reached. It has connections of its
 * own, so that nothing else waits for a lost worker.
 */
export class Worker implements Queries {
  private static readonly logger = new Logger(Worker.name);
  /** Whether it has the metadata of the cluster, and so runs any statement. */
  isSynced = false;
  /** Whether the last check has failed. */
  private isLost = false;
  private isWatched = false;
  private isDetourLogged = false;
  /** Whether it has run a statement since the last check began. */
  private hasResponded = false;
  private server: DataSource | undefined;
  private coordinator: Promise<DataSource> | undefined;
  /** Reject the statements that run at the worker. */
  private readonly running = new Set<(reason: Error) => void>();
  private checking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly address: ServerAddress,
    private readonly open: Open,
  ) {}

  get name(): string {
    return `${this.address.host}:${this.address.port}`;
  }

  get isDirect(): boolean {
    return this.server !== undefined && this.isSynced;
  }

  get isDetoured(): boolean {
    return this.isWatched && (this.isLost || !this.isSynced);
  }

  /** Keeps the path to the worker open, and checks it from time to time. Resolves after the first check. */
  async watch(): Promise<void> {
    if (this.isWatched) return;
    this.isWatched = true;
    await this.check();
  }

  /** Ends all connections to the worker itself. */
  async ignore(): Promise<void> {
    this.isWatched = false;
    clearTimeout(this.timer);
    await this.checking;
    this.isLost = false;
    await this.drop();
  }

  async close(): Promise<void> {
    await this.ignore();
    await this.coordinator?.then((coordinator) => coordinator.destroy());
  }

  /** Runs a statement that changes rows. */
  async query(text: string, parameters?: unknown[]): Promise<unknown> {
    if (this.isDirect) {
      try {
        // Citus connects a worker to itself for several of its own shards, but not for an INSERT or in a transaction.
        return await this.ask(async (server) =>
          text.startsWith('INSERT')
            ? server.query(text, parameters)
            : server.transaction((transaction) => transaction.query(text, parameters)),
        );
      } catch (error) {
        // The worker has lost its metadata, so nothing was changed.
        if (!isMissingTable(error)) throw error;
      }
    }
    return (await this.detour()).query(text, parameters);
  }

  /** Connections to the coordinator for the rows of this worker. */
  async detour(): Promise<DataSource> {
    this.coordinator ??= this.open().catch((error: unknown) => {
      this.coordinator = undefined;
      throw error;
    });
    return this.coordinator;
  }

  /** Runs `work` at the worker itself. @throws Error of a lost connection as soon as the path is lost. */
  async ask<Result>(work: (server: DataSource) => Promise<Result>): Promise<Result> {
    if (this.server === undefined) throw lost();
    const { promise: end, reject } = Promise.withResolvers<never>();
    this.running.add(reject);
    try {
      const result = await Promise.race([work(this.server), end]);
      this.hasResponded = true;
      return result;
    } finally {
      this.running.delete(reject);
    }
  }

  private async check(): Promise<void> {
    this.checking = this.server === undefined ? this.reach() : this.ping(this.server);
    await this.checking;
    if (this.isWatched) this.timer = setTimeout(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  private async reach(): Promise<void> {
    try {
      this.server = await this.open(this.address);
      this.isLost = this.isDetourLogged = false;
      Worker.logger.log(`Asks ${this.name} directly.`);
    } catch (error) {
      this.isLost = true;
      this.logDetour(error);
    }
  }

  private async ping(server: DataSource): Promise<void> {
    this.hasResponded = false;
    try {
      await Promise.race([server.query('SELECT 1'), timeout()]);
    } catch (error) {
      // A check may wait for a connection while others run statements.
      if (this.hasResponded) return;
      this.isLost = true;
      this.logDetour(error);
      void this.drop();
    }
  }

  private async drop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const reject of this.running) reject(lost());
    await server?.destroy().catch(() => undefined);
  }

  private logDetour(error: unknown): void {
    if (!this.isDetourLogged)
      Worker.logger.warn(`Asks ${this.name} through the coordinator: ${String(error)}`);
    this.isDetourLogged = true;
  }
}

/** Whether PostgreSQL does not know a table of a statement. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as DatabaseError).code === '42P01';
}

/** The driver's message for a connection that has ended. */
function lost(): Error {
  return new Error('Connection terminated: the worker cannot be reached.');
}

async function timeout(): Promise<never> {
  await sleep(CHECK_TIMEOUT_MS, undefined, { ref: false });
  // A busy event loop runs timers before it reads responses that have arrived.
  await turnOfTheEventLoop();
  throw new Error(`It did not respond within ${CHECK_TIMEOUT_MS} ms.`);
}
