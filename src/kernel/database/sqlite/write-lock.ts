/** The maximum number of waiting writers. */
const MAX_WAITING = 1_000;

/**
 * Lets one writer at a time use a SQLite file, first come, first served.
 *
 * SQLite allows one writer anyway, and waiting for its lock blocks the event loop.
 */
export class WriteLock {
  /** Each gives the lock to a waiting writer. */
  private readonly waiting = new Set<() => void>();
  private isTaken = false;

  /** @param timeout milliseconds that a writer may wait. */
  constructor(private readonly timeout: number) {}

  /**
   * Takes the lock, which the caller must `release()`. Returns undefined if it was free.
   *
   * @throws Error with the code SQLITE_BUSY if the wait is too long, or too many writers are waiting.
   */
  take(): Promise<void> | undefined {
    if (!this.isTaken) {
      this.isTaken = true;
      return undefined;
    }
    if (this.waiting.size >= MAX_WAITING) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.waiting.delete(give);
      reject(busy());
    }, this.timeout);
    this.waiting.add(give);
    return promise;
  }

  release(): void {
    const [next] = this.waiting;
    if (next === undefined) this.isTaken = false;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}

function busy(): Error {
  return Object.assign(new Error('Other writes take too long.'), { code: 'SQLITE_BUSY' });
}
