import { unavailable } from '../errors/unavailable.js';
import { isStoreUnavailable } from './store-unavailable.js';

/** Items, and bytes of large ones, that one statement writes at most: bounds how long a batch keeps everything else waiting. */
export const MAX_BATCH = 256;
const MAX_BATCH_BYTES = 1_048_576;
const SMALL_BYTES = 4_096;

interface Pending<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
  /** The next item with the same key: it may be written when this one is. */
  next: Pending<Item, Outcome> | undefined;
}

/** What a group commit has to know of the items it writes. */
export interface Writer<Item, Outcome> {
  /** Items of one kind are written by the same statement. */
  readonly kindOf: (item: Item) => string;
  /** Items with the same key are written in the order in which they came, each by a statement of its own. */
  readonly keyOf: (item: Item) => unknown;
  /** Bytes of an item, roughly. */
  readonly sizeOf: (item: Item) => number;
  /** Writes items of one kind and of different keys; returns the outcome of each in the same order. */
  readonly write: (batch: readonly Item[]) => Promise<readonly Outcome[]>;
}

/**
 * Writes what arrives at the same time together, so that many share the cost of one commit.
 *
 * Items join the batch of their kind. One batch is written at a time, the kinds in turn, and while it is, the next ones fill.
 * An idle store writes at once: nothing waits for a batch to fill. Everyone learns the outcome of the own item, and only
 * after the commit. Between two batches others have their turn of the event loop, however many items wait.
 *
 * @typeParam Item what one caller wants written.
 * @typeParam Outcome what became of it, such as created or taken.
 */
export class GroupCommit<Item, Outcome> {
  /** Items that may be written, by kind; the first kind is the next. */
  private readonly ready = new Map<string, Pending<Item, Outcome>[]>();
  private readyCount = 0;
  /** The latest item of each key that is waiting or being written. */
  private readonly latest = new Map<unknown, Pending<Item, Outcome>>();
  /** Items that wait, be they ready or behind others of their key. */
  private waiting = 0;
  /**
   * Items that the database has refused together: each is tried by itself, so that one that is bad does not take its
   * neighbours along.
   */
  private suspects: Pending<Item, Outcome>[] = [];
  private writing: Promise<void> | undefined;
  private onFull: () => void = () => undefined;

  /**
   * @param limit items that may wait; more are refused.
   */
  constructor(
    private readonly writer: Writer<Item, Outcome>,
    private readonly limit: number,
  ) {}

  /**
   * Writes an item; the promise resolves when it is on disk.
   *
   * @throws ApiException 50300 when too many items are waiting already.
   */
  add(item: Item): Promise<Outcome> {
    if (this.waiting >= this.limit) throw unavailable('Too many writes are waiting.');
    return new Promise((resolve, reject) => {
      const pending: Pending<Item, Outcome> = { item, resolve, reject, next: undefined };
      const key = this.writer.keyOf(item);
      const before = this.latest.get(key);
      this.latest.set(key, pending);
      this.waiting += 1;
      if (before === undefined) this.makeReady(pending);
      else before.next = pending;
      this.writing ??= this.writeAll();
    });
  }

  /** Resolves when nothing is waiting to be written. */
  async drain(): Promise<void> {
    await this.writing;
  }

  private makeReady(pending: Pending<Item, Outcome>): void {
    const kind = this.writer.kindOf(pending.item);
    const ofKind = this.ready.get(kind);
    if (ofKind === undefined) this.ready.set(kind, [pending]);
    else ofKind.push(pending);
    this.readyCount += 1;
    if (this.readyCount >= MAX_BATCH) this.onFull();
  }

  private async writeAll(): Promise<void> {
    while (this.waiting + this.suspects.length > 0) {
      await this.endOfTurn();
      await this.writeBatch(this.takeBatch());
    }
    this.writing = undefined;
  }

  /** A suspect, or the items of the kind whose turn it is that fit into one statement. */
  private takeBatch(): readonly Pending<Item, Outcome>[] {
    const suspect = this.suspects.shift();
    if (suspect !== undefined) return [suspect];
    const [[kind, ofKind] = ['', []]] = this.ready;
    const batch: Pending<Item, Outcome>[] = [];
    const left: Pending<Item, Outcome>[] = [];
    let bytes = 0;
    for (const pending of ofKind) {
      const size = this.writer.sizeOf(pending.item);
      // Small items do not wait for large ones.
      const fits = size <= SMALL_BYTES || bytes === 0 || bytes + size <= MAX_BATCH_BYTES;
      if (batch.length === MAX_BATCH || !fits) left.push(pending);
      else {
        batch.push(pending);
        if (size > SMALL_BYTES) bytes += size;
      }
    }
    this.ready.delete(kind);
    if (left.length > 0) this.ready.set(kind, left);
    this.readyCount -= batch.length;
    this.waiting -= batch.length;
    return batch;
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

  private async writeBatch(batch: readonly Pending<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.writer.write(batch.map(({ item }) => item));
      batch.forEach((pending, index) => {
        this.leave(pending);
        pending.resolve(outcomes[index] as Outcome);
      });
    } catch (error) {
      this.recover(batch, error);
    }
  }

  /** Lets the next item of the same key be written. */
  private leave({ item, next }: Pending<Item, Outcome>): void {
    if (next === undefined) this.latest.delete(this.writer.keyOf(item));
    else this.makeReady(next);
  }

  private recover(batch: readonly Pending<Item, Outcome>[], error: unknown): void {
    if (isStoreUnavailable(error)) this.rejectAll(batch, error);
    else if (batch.length > 1) this.suspects = [...batch];
    else {
      for (const pending of batch) {
        this.leave(pending);
        pending.reject(error);
      }
    }
  }

  /** Those who wait share the answer: each batch would wait for the database as long as this one did. */
  private rejectAll(batch: readonly Pending<Item, Outcome>[], error: unknown): void {
    const heads = [...batch, ...this.suspects, ...[...this.ready.values()].flat()];
    this.suspects = [];
    this.ready.clear();
    this.latest.clear();
    this.readyCount = 0;
    this.waiting = 0;
    for (const head of heads) {
      for (let pending: typeof head | undefined = head; pending !== undefined; pending = pending.next) {
        pending.reject(error);
      }
    }
  }
}
