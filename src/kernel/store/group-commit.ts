import { channel, tracingChannel } from 'node:diagnostics_channel';
import { unavailable } from '../errors/api.exception.js';
import { currentRequest } from '../logging/request-context.js';
import { isStoreUnavailable } from './database-errors.js';

/** The maximum number of writes in a batch, which bounds how long it keeps everything else waiting. */
export const MAX_BATCH = 256;

/** Publishes the queue of every write that is refused because too many are waiting. */
export const refusedWrites = channel('plant-store.refused-writes');

/** Traces each `Batch` from its beginning to its end. */
export const batches = tracingChannel<string, Batch>('plant-store.batches');

export interface Batch {
  readonly writes: readonly PendingWrite[];
  /** When it began (`performance.now()`). */
  readonly begunAt: number;
  /** Why it failed. */
  readonly error?: unknown;
}

export interface PendingWrite {
  /** How many rows it writes, by default one. */
  readonly size?: number;
  readonly isSettled: boolean;
  readonly reject: (reason: unknown) => void;
}

/** A write that resolves with its result. */
export interface Pending<Result> extends PendingWrite {
  isSettled: boolean;
  /** The id of the caller who writes; undefined outside of a request. */
  readonly by: string | undefined;
  readonly resolve: (result: Result) => void;
}

/**
 * Writes a batch and settles each write. When it throws, the writes that it has not settled were not done, or their outcome is
 * unknown.
 */
export type WriteBatch<Write extends PendingWrite> = (batch: readonly Write[]) => Promise<void>;

/**
 * Writes what arrives at the same time together, so that many writes share the cost of one commit.
 *
 * One batch is written at a time, the queues one after the other. Meanwhile the next batches fill. An idle store writes at once. Between
 * two batches the event loop reads requests, however many writes wait.
 */
export class GroupCommit {
  /** Every queue that has had a write. The one that has written last is last. */
  private readonly queues: Pick<
    WriteQueue<PendingWrite>,
    'length' | 'isEmpty' | 'writeNext' | 'rejectAll'
  >[] = [];
  /** When the latest batch could not be written (`performance.now()`); undefined if it was. */
  failedAt: number | undefined;

  /** This `GroupCommit` and those made by `another()`. All of them write at the same time. */
  readonly all: GroupCommit[] = [this];
  private writing: Promise<void> | undefined;
  private onFull: () => void = () => undefined;

  /** @param limit writes that may wait in each queue; more are refused. */
  constructor(readonly limit: number) {}

  /** Makes a `GroupCommit` with the same limit, which writes and fails independently. */
  another(): GroupCommit {
    const other = new GroupCommit(this.limit);
    this.all.push(other);
    return other;
  }

  /** The length of the longest queue. */
  get length(): number {
    return Math.max(0, ...this.queues.map(({ length }) => length));
  }

  /**
   * Adds a write to its queue.
   *
   * @throws ApiException 50300 when too many writes are waiting already.
   */
  add<Write extends PendingWrite>(queue: WriteQueue<Write>, write: Write): void {
    if (queue.length >= this.limit) {
      refusedWrites.publish(queue);
      throw unavailable('Too many writes are waiting.');
    }
    if (!this.queues.includes(queue)) this.queues.push(queue);
    queue.add(write);
    if (queue.length >= MAX_BATCH) this.onFull();
    this.writing ??= this.writeAll();
  }

  /** Resolves when no write waits, here or in the others. */
  async drain(): Promise<void> {
    await Promise.all(this.all.map(async ({ writing }) => writing));
  }

  private async writeAll(): Promise<void> {
    for (let next; (next = this.queues.findIndex(({ isEmpty }) => !isEmpty)) >= 0;) {
      await this.arrivals();
      const [queue] = this.queues.splice(next, 1) as [(typeof this.queues)[number]];
      this.queues.push(queue);
      const failure = await queue.writeNext();
      this.failedAt = failure === undefined ? undefined : performance.now();
      if (failure === undefined) continue;
      // Waiting writes share the failure: each batch would wait for the database as long as this one did.
      for (const waiting of this.queues) waiting.rejectAll(failure);
    }
    this.writing = undefined;
  }

  /**
   * Resolves when the requests that the event loop has already read have joined the batch, or when one arrives that makes it
   * full: a single pass of the event loop reads tens of thousands of requests when a thousand connections are always ready.
   */
  private async arrivals(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.onFull = resolve;
      setImmediate(resolve);
    });
  }
}

/** The waiting writes of one function, such as all writes to one table. */
export class WriteQueue<Write extends PendingWrite> {
  private readonly waiting: Write[] = [];
  /** Halves of what the database has refused: each is tried separately, so that a bad write does not fail the others. */
  private readonly suspects: (readonly Write[])[] = [];

  /** How many rows the waiting writes have. */
  length = 0;

  /** @param most the maximum number of writes in a batch. */
  constructor(
    private readonly writeBatch: WriteBatch<Write>,
    private readonly most = MAX_BATCH,
  ) {}

  get isEmpty(): boolean {
    return this.waiting.length + this.suspects.length === 0;
  }

  add(write: Write): void {
    this.waiting.push(write);
    this.length += write.size ?? 1;
  }

  /** Writes the next batch. Returns the error if the database cannot be used. */
  async writeNext(): Promise<unknown> {
    const batch = this.suspects.shift() ?? this.take();
    const begunAt = performance.now();
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
    for (const write of [...this.suspects.splice(0).flat(), ...this.take(Infinity)]) write.reject(failure);
  }

  private take(most = this.most): Write[] {
    const batch = this.waiting.splice(0, most);
    for (const { size = 1 } of batch) this.length -= size;
    return batch;
  }
}

/** Adds a write to its queue; resolves when it is settled. */
export function submit<Content, Result>(
  commits: GroupCommit,
  queue: WriteQueue<Content & Pending<Result>>,
  content: Content,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  commits.add(queue, { ...content, isSettled: false, by: currentRequest()?.caller, resolve, reject });
  return promise;
}
