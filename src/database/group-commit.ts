import { unavailable } from '../errors/unavailable.js';
import { isStoreUnavailable } from './store-unavailable.js';

/** Items that one statement writes at most: bounds how long a batch keeps everything else waiting. */
export const MAX_BATCH = 256;

interface Pending<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

/** What a group commit has to know of the items it writes. */
export interface Writer<Item, Outcome> {
  /** Items of one kind are written by the same statement. */
  readonly kindOf: (item: Item) => string;
  /** Items with the same key are written in the order in which they came, each by a statement of its own. */
  readonly keyOf: (item: Item) => unknown;
  /** Writes items of one kind and of different keys; returns the outcome of each in the same order. */
  readonly write: (batch: readonly Item[]) => Promise<readonly Outcome[]>;
}

/**
 * Writes what arrives at the same time together, so that many share the cost of one commit.
 *
 * Items join the open batch; one batch is written at a time, and while it is, the next one fills. An idle store writes at
 * once: nothing waits for a batch to fill. Everyone learns the outcome of the own item, and only after the commit.
 *
 * @typeParam Item what one caller wants written.
 * @typeParam Outcome what became of it, such as created or taken.
 */
export class GroupCommit<Item, Outcome> {
  private queue: Pending<Item, Outcome>[] = [];
  private writing: Promise<void> | undefined;
  /**
   * Items at the head of the queue that the database has refused together: each is tried by itself, so that one that is bad
   * does not take its neighbours along.
   */
  private suspects = 0;
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
    if (this.queue.length >= this.limit) throw unavailable('Too many writes are waiting.');
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (this.queue.length === MAX_BATCH) this.onFull();
      this.writing ??= this.writeAll();
    });
  }

  /** Resolves when nothing is waiting to be written. */
  async drain(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.queue.length > 0) {
      if (this.suspects === 0) await this.endOfTurn();
      await this.writeBatch(this.takeBatch());
    }
    this.writing = undefined;
  }

  /** The first item, and with it every other one that fits into its statement and overtakes none of its own key. */
  private takeBatch(): readonly Pending<Item, Outcome>[] {
    if (this.suspects > 0) {
      this.suspects -= 1;
      return this.queue.splice(0, 1);
    }
    const { kindOf, keyOf } = this.writer;
    const [head] = this.queue;
    const kind = head && kindOf(head.item);
    const batch: Pending<Item, Outcome>[] = [];
    const left: Pending<Item, Outcome>[] = [];
    const keys = new Set<unknown>();
    let taken = 0;
    for (const pending of this.queue) {
      if (batch.length === MAX_BATCH) break;
      taken += 1;
      const isFirstOfKey = keys.size < keys.add(keyOf(pending.item)).size;
      (isFirstOfKey && kindOf(pending.item) === kind ? batch : left).push(pending);
    }
    this.queue = [...left, ...this.queue.slice(taken)];
    return batch;
  }

  /**
   * Resolves when the requests that the event loop has already read have joined the batch, or the batch is full: one turn
   * of the event loop reads tens of thousands of requests when a thousand connections are always ready.
   */
  private async endOfTurn(): Promise<void> {
    if (this.queue.length >= MAX_BATCH) return;
    await new Promise<void>((resolve) => {
      this.onFull = resolve;
      setImmediate(resolve);
    });
  }

  private async writeBatch(batch: readonly Pending<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.writer.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(outcomes[index] as Outcome));
    } catch (error) {
      this.recover(batch, error);
    }
  }

  private recover(batch: readonly Pending<Item, Outcome>[], error: unknown): void {
    if (isStoreUnavailable(error)) {
      // Those who wait share the answer: each batch would wait for the database as long as this one did.
      this.suspects = 0;
      for (const { reject } of [...batch, ...this.queue.splice(0)]) reject(error);
    } else if (batch.length === 1) {
      batch[0]?.reject(error);
    } else {
      this.queue.unshift(...batch);
      this.suspects = batch.length;
    }
  }
}
