import { tooManyRequests } from './rate-limiter.js';

/** What may be under way at a time for each key, and wait behind that. */
const MAX_UNDER_WAY = 4;
const MAX_WAITING = 1_000;

interface Queue {
  underWay: number;
  /** The oldest first. */
  readonly waiting: PromiseWithResolvers<void>[];
}

/**
 * Lets little of each key be under way at a time, so that none takes all connections to the database.
 *
 * The newest goes first, so a flood does not delay those who come later.
 */
export class Turns {
  private readonly queues = new Map<string, Queue>();

  /** @param refusal for the oldest when too much waits. */
  constructor(private readonly refusal: string) {}

  /** Does something when it is its turn. @throws ApiException 42900 when too much waits */
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
      // The others would wait as long for the same failure.
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
