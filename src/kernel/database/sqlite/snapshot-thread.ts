import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import Database from 'better-sqlite3';
import type { StoreGuard } from './store-guard.js';
import type { SnapshotRequest, SnapshotResponse } from './snapshot-worker.js';

/** Megabytes of the thread's young generation: the text of a result is sent at once and then garbage. */
const YOUNG_MB = 2;

/** A view of the store at one moment, for several statements. */
export interface Snapshot {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Reads snapshots of a SQLite file in a separate thread, so that a long count or search does not block the event loop. */
export class SnapshotThread {
  private static readonly logger = new Logger(SnapshotThread.name);
  private worker: Worker | undefined;
  /** Statements that wait for their results, in this order. */
  private waiting: PromiseWithResolvers<unknown[]>[] = [];
  private opened = 0;

  constructor(
    private readonly path: string,
    private readonly guard: StoreGuard,
  ) {}

  /** Loads the code of the thread, while the installation of the service is as at its start. */
  begin(): Promise<void> {
    return this.open().close();
  }

  open(): Snapshot {
    this.opened += 1;
    const snapshot = this.opened;
    const worker = (this.worker ??= this.start());
    return {
      query: (text, parameters = []) => this.read(worker, { snapshot, text, parameters }),
      close: async () => void (await this.ask(worker, { snapshot })),
    };
  }

  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  private async read(worker: Worker, request: SnapshotRequest): Promise<unknown[]> {
    if (this.guard.displacement !== undefined) throw this.guard.displacement;
    try {
      return await this.ask(worker, request);
    } catch (error) {
      this.guard.examine(error);
      throw error;
    }
  }

  private async ask(worker: Worker, request: SnapshotRequest): Promise<unknown[]> {
    // A new thread would read the store at another moment.
    if (worker !== this.worker) throw ended();
    const asked = Promise.withResolvers<unknown[]>();
    this.waiting.push(asked);
    // Keeps the process alive until the result arrives.
    worker.ref();
    worker.postMessage(request);
    return asked.promise;
  }

  private start(): Worker {
    const code = new URL(`./snapshot-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(code, {
      workerData: this.path,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', ({ rows, failure }: SnapshotResponse) => {
      const asked = this.waiting.shift();
      if (failure === undefined) asked?.resolve(rows);
      else asked?.reject(new Database.SqliteError(failure.message, failure.code));
      if (this.waiting.length === 0) worker.unref();
    });
    // An error ends the thread, which `exit` handles.
    worker.on('error', (error) => SnapshotThread.logger.warn(error));
    worker.on('exit', () => this.fail());
    return worker;
  }

  private fail(): void {
    this.worker = undefined;
    for (const { reject } of this.waiting.splice(0)) reject(ended());
  }
}

function ended(): Error {
  return new Database.SqliteError('The thread that reads snapshots has ended.', 'SQLITE_ABORT_ROLLBACK');
}
