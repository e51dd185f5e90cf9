import { channel, tracingChannel } from 'node:diagnostics_channel';
import { unavailable } from '../errors/api.exception.js';
import { currentRequest } from '../logging/request-context.js';
import { isStoreUnavailable } from './database-errors.js';

/** The maximum number of writes in a batch, which bounds how long it keeps everything else waiting. */
export const MAX_BATCH = 256;

/** The number of `failures` that are kept. */
export const KEPT_FAILURES = 3;

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
  readonly isSettled: boolean;
  /** When the first batch with it began (`performance.now()`); undefined as long as it waits. */
  begunAt: number | undefined;
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
 * One batch is written at a time, the queues in turn. Meanwhile the next batches fill. An idle store writes at once. Between
 * two batches the event loop gets a turn, however many writes wait.
 */
export class GroupCommit {
  /** The queues with waiting writes; the first one is next. */
  private readonly queues = new Set<
    Pick<WriteQueue<PendingWrite>, 'length' | 'isEmpty' | 'writeNext' | 'rejectAll'>
  >();
  /** The latest batches that could not be written, oldest first. */
  readonly failures: { readonly cause: unknown; readonly at: number }[] = [];
  /** Whether the last batch could not be written. */
  isFailing = false;

  /** Made by `another()`. All of them write at the same time. */
  private readonly others: GroupCommit[] = [];
  private writing: Promise<void> | undefined;
  private onFull: () => void = () => undefined;

  /** @param limit writes that may wait in all queues together; more are refused. */
  constructor(readonly limit: number) {}

  /** Makes a `GroupCommit` with the same limit, which writes and fails independently. */
  another(): GroupCommit {
    const other = new GroupCommit(this.limit);
    this.others.push(other);
    return other;
  }

  /** This `GroupCommit` and the others. */
  get all(): readonly GroupCommit[] {
    return [this, ...this.others];
  }

  get length(): number {
    let length = 0;
    for (const queue of this.queues) length += queue.length;
    return length;
  }

  /**
   * Adds a write to its queue.
   *
   * @throws ApiException 50300 when too many writes are waiting already.
   */
  add<Write extends PendingWrite>(queue: WriteQueue<Write>, write: Write): void {
    if (this.length >= this.limit) {
      refusedWrites.publish(queue);
      throw unavailable('Too many writes are waiting.');
    }
    this.queues.add(queue);
    if (queue.add(write) >= MAX_BATCH) this.onFull();
    this.writing ??= this.writeAll();
  }

  /** Resolves when no write waits, here or in the others. */
  async drain(): Promise<void> {
    await Promise.all([this.writing, ...this.others.map((other) => other.drain())]);
  }

  private async writeAll(): Promise<void> {
    // A Set iterates in insertion order, and includes queues that are added meanwhile.
    for (const queue of this.queues) {
      await this.endOfTurn();
      const written = queue.writeNext();
      this.queues.delete(queue);
      if (!queue.isEmpty) this.queues.add(queue);
      const failure = await written;
      this.isFailing = failure !== undefined;
      if (this.isFailing) this.failures.push({ cause: failure, at: performance.now() });
      if (this.failures.length > KEPT_FAILURES) this.failures.shift();
      if (!queue.isEmpty) this.queues.add(queue);
      // Waiting writes share the failure: each batch would wait for the database as long as this one did.
      if (failure !== undefined) {
        for (const waiting of this.queues) waiting.rejectAll(failure);
        this.queues.clear();
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
}

/** The waiting writes of one function, such as all writes to one table. */
export class WriteQueue<Write extends PendingWrite> {
  private readonly waiting: Write[] = [];
  /** Halves of what the database has refused: each is tried separately, so that a bad write does not fail the others. */
  private readonly suspects: (readonly Write[])[] = [];

  /** @param most the maximum number of writes in a batch. In smaller batches, each write counts for more of the limit. */
  constructor(
    private readonly writeBatch: WriteBatch<Write>,
    private readonly most = MAX_BATCH,
  ) {}

  get length(): number {
    return (this.waiting.length * MAX_BATCH) / this.most;
  }

  get isEmpty(): boolean {
    return this.waiting.length + this.suspects.length === 0;
  }

  add(write: Write): number {
    return this.waiting.push(write);
  }

  /** Writes the next batch. Returns the error if the database cannot be used. */
  async writeNext(): Promise<unknown> {
    const batch = this.suspects.shift() ?? this.waiting.splice(0, this.most);
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

/** Adds a write to its queue, and waits until it is settled. */
export async function submit<Content, Result>(
  commits: GroupCommit,
  queue: WriteQueue<Content & Pending<Result>>,
  content: Content,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const request = currentRequest();
  const write = { ...content, isSettled: false, begunAt: undefined, by: request?.caller, resolve, reject };
  const start = performance.now();
  commits.add(queue, write);
  try {
    return await promise;
  } finally {
    const { begunAt = performance.now() } = write;
    if (request !== undefined) {
      request.waited.turn += begunAt - start;
      request.waited.database += performance.now() - begunAt;
    }
  }
}
