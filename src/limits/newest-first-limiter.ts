import { tooManyRequests } from './rate-limiter.js';

/** For each key: operations that run at a time, and operations that wait. */
const MAX_UNDER_WAY = 4;
const MAX_WAITING = 1_000;

interface Queue {
  underWay: number;
  /** The oldest first. */
  readonly waiting: PromiseWithResolvers<void>[];
}

/**
 * Limits the concurrent operations of each key, so that no key takes all connections to the database.
 *
 * The newest waiting operation runs first, so a flood does not delay later operations.
 */
export class NewestFirstLimiter {
  private readonly queues = new Map<string, Queue>();

  /** @param refusal the message for the oldest operation when too many wait. */
  constructor(private readonly refusal: string) {}

  /** Runs an operation when it is its turn. @throws ApiException 42900 when too many wait */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.queues.get(key) ?? { underWay: 0, waiting: [] };
    this.queues.set(key, queue);
    if (queue.underWay < MAX_UNDER_WAY) queue.underWay += 1;
    else {
      const turn = Promise.withResolvers<void>();
      if (queue.waiting.push(turn) > MAX_WAITING)
        queue.waiting.shift()?.reject(tooManyRequests(1, this.refusal));
      await turn.promise;
    }
    try {
      return await work();
    } catch (error) {
      // The waiting operations would fail in the same way, each after the same time.
      for (const turn of queue.waiting.splice(0)) turn.reject(error);
      throw error;
    } finally {
      const next = queue.waiting.pop();
      if (next === undefined) queue.underWay -= 1;
      else next.resolve();
      if (queue.underWay === 0) this.queues.delete(key);
    }
  }
}
