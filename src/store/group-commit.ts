import { channel, tracingChannel } from 'node:diagnostics_channel';
import { unavailable } from '../errors/api.exception.js';
import { isStoreUnavailable } from './database-errors.js';

/** Writes that a batch has at most: bounds how long it keeps everything else waiting. */
export const MAX_BATCH = 256;

/** Tells of every write that is refused because too many are waiting. */
export const refusedWrites = channel('plant-store.refused-writes');

/** Tells of every write that waits for its batch, on behalf of whom it is. */
export const waitingWrites = channel('plant-store.waiting-writes');

/** Tells when a batch begins and when it is over, as a `Batch`. */
export const batches = tracingChannel<string, Batch>('plant-store.batches');

export interface Batch {
  readonly writes: readonly PendingWrite[];
  /** When it began (`performance.now()`). */
  readonly begunAt: number;
  /** Why it failed. */
  readonly error?: unknown;
}

/** A write that someone waits for. */
export interface PendingWrite {
  /** Whether who waits for it knows what became of it. */
  readonly isSettled: boolean;
  /** When the first batch with it began (`performance.now()`); undefined as long as it waits. */
  begunAt: number | undefined;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes a batch, and settles each write as soon as it is known what became of it. When it throws, what it has not settled was
 * not done, or nobody knows.
 */
export type WriteBatch<Write extends PendingWrite> = (batch: readonly Write[]) => Promise<void>;

/**
 * Writes what arrives at the same time together, so that many share the cost of one commit.
 *
 * One batch is written at a time, the lanes in turn, and while it is, the next ones fill. An idle store writes at once:
 * nothing waits for a batch to fill. Between two batches others have their turn of the event loop, however many writes wait.
 */
export class GroupCommit {
  /** Those in which something waits; the first is the next. */
  private readonly lanes = new Set<Pick<Lane<PendingWrite>, 'isEmpty' | 'writeNext' | 'rejectAll'>>();
  /** Why the latest batch could not be written, and when (`performance.now()`); undefined when it could. */
  failure: { readonly cause: unknown; readonly at: number } | undefined;

  private waiting = 0;
  private writing: Promise<void> | undefined;
  private onFull: () => void = () => undefined;

  /** @param limit writes that may wait in all lanes together; more are refused. */
  constructor(readonly limit: number) {}

  /** How many writes wait. */
  get length(): number {
    return this.waiting;
  }

  /**
   * Adds a write to its lane.
   *
   * @throws ApiException 50300 when too many writes are waiting already.
   */
  add<Write extends PendingWrite>(lane: Lane<Write>, write: Write): void {
    if (this.waiting >= this.limit) {
      refusedWrites.publish(lane);
      throw unavailable('Too many writes are waiting.');
    }
    this.waiting += 1;
    if (waitingWrites.hasSubscribers) waitingWrites.publish(write);
    this.lanes.add(lane);
    if (lane.add(write) >= MAX_BATCH) this.onFull();
    this.writing ??= this.writeAll();
  }

  /** Resolves when nothing is waiting to be written. */
  async drain(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.lanes.size > 0) {
      await this.endOfTurn();
      for (const lane of this.lanes) {
        this.lanes.delete(lane);
        const failure = await lane.writeNext((count) => (this.waiting -= count));
        this.failure = failure === undefined ? undefined : { cause: failure, at: performance.now() };
        if (!lane.isEmpty) this.lanes.add(lane);
        // Those who wait share the answer: each batch would wait for the database as long as this one did.
        if (failure !== undefined) this.rejectAll(failure);
        break;
      }
    }
    this.writing = undefined;
  }

  /**
   * Resolves when the requests that the event loop has already read have joined the batch, or when one arrives that makes it
   * full: one turn of the event loop reads tens of thousands of requests when a thousand connections are always ready.
   */
  private async endOfTurn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.onFull = resolve;
      setImmediate(resolve);
    });
  }

  private rejectAll(failure: unknown): void {
    for (const lane of this.lanes) lane.rejectAll(failure);
    this.lanes.clear();
    this.waiting = 0;
  }
}

/** Writes that one function writes, such as all those on one table. */
export class Lane<Write extends PendingWrite> {
  private readonly waiting: Write[] = [];
  /** What the database has refused together: each half is tried by itself, so that a bad write does not take others along. */
  private readonly suspects: (readonly Write[])[] = [];

  constructor(private readonly writeBatch: WriteBatch<Write>) {}

  get isEmpty(): boolean {
    return this.waiting.length + this.suspects.length === 0;
  }

  /** Returns how many writes are waiting now. */
  add(write: Write): number {
    return this.waiting.push(write);
  }

  /**
   * Writes the next batch; returns why, when the database cannot be used.
   *
   * @param onTake is told how many writes wait no more.
   */
  async writeNext(onTake: (count: number) => void): Promise<unknown> {
    const suspects = this.suspects.shift();
    const batch = suspects ?? this.waiting.splice(0, MAX_BATCH);
    if (suspects === undefined) onTake(batch.length);
    const begunAt = performance.now();
    for (const write of batch) write.begunAt ??= begunAt;
    try {
      const writing = { writes: batch, begunAt } satisfies Batch;
      await batches.tracePromise(this.writeBatch, writing, this, batch);
    } catch (error) {
      const open = batch.filter(({ isSettled }) => !isSettled);
      if (open.length === 1 || isStoreUnavailable(error)) for (const write of open) write.reject(error);
      else {
        const half = Math.ceil(open.length / 2);
        this.suspects.unshift(open.slice(0, half), open.slice(half));
      }
      return isStoreUnavailable(error) ? error : undefined;
    }
    return undefined;
  }

  rejectAll(failure: unknown): void {
    for (const write of [...this.suspects.splice(0).flat(), ...this.waiting.splice(0)]) write.reject(failure);
  }
}
