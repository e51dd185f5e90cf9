import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { StoreGuard } from './store-guard.js';
import type { SnapshotRequest, SnapshotResponse } from './snapshot-worker.js';

/** Megabytes of memory for what the thread has just read. The text of a result is sent at once and not used again. */
const YOUNG_MB = 2;

/** The same store at one moment, for several statements. */
export interface Snapshot {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Reads snapshots of a SQLite file in a thread of its own, because a count or a search takes longer than others may wait. */
export class SnapshotThread {
  private worker: Worker | undefined;
  /** What the thread has not answered, in the order in which it will. */
  private waiting: PromiseWithResolvers<unknown[]>[] = [];
  private opened = 0;

  constructor(
    private readonly path: string,
    private readonly guard: StoreGuard,
  ) {}

  open(): Snapshot {
    this.opened += 1;
    const snapshot = this.opened;
    return {
      query: (text, parameters = []) => this.read({ snapshot, text, parameters }),
      close: async () => void (await this.ask({ snapshot })),
    };
  }

  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  private async read(request: SnapshotRequest): Promise<unknown[]> {
    if (this.guard.displacement !== undefined) throw this.guard.displacement;
    try {
      return await this.ask(request);
    } catch (error) {
      this.guard.examine(error);
      throw error;
    }
  }

  private ask(request: SnapshotRequest): Promise<unknown[]> {
    this.worker ??= this.start();
    const asked = Promise.withResolvers<unknown[]>();
    this.waiting.push(asked);
    // A process that waits for nothing else goes on.
    this.worker.ref();
    this.worker.postMessage(request);
    return asked.promise;
  }

  private start(): Worker {
    const code = new URL(`./snapshot-worker${extname(import.meta.url)}`, import.meta.url);
    return new Worker(code, { workerData: this.path, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } })
      .on('message', ({ rows, failure }: SnapshotResponse) => {
        const asked = this.waiting.shift();
        if (failure === undefined) asked?.resolve(rows);
        else asked?.reject(new Database.SqliteError(failure.message, failure.code));
        if (this.waiting.length === 0) this.worker?.unref();
      })
      .on('error', (error) => this.fail(error))
      .on('exit', () => this.fail(new Error('The thread has ended.')));
  }

  private fail(error: Error): void {
    this.worker = undefined;
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
