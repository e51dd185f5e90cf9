/** Writers that may wait at a time. */
const MAX_WAITING = 1_000;

/**
 * Lets one writer at a time use a SQLite file, first come first served.
 *
 * SQLite has one writer anyway, and waiting for its own lock stops the event loop.
 */
export class WriteTurns {
  /** Begins the turn of each waiting writer. */
  private readonly waiting = new Set<() => void>();
  private isTaken = false;
  /** Why nobody may write any more. */
  refusal: Error | undefined;

  /** @param timeout milliseconds that a writer may wait. */
  constructor(private readonly timeout: number) {}

  /**
   * Begins a turn, which the caller has to `end()`. Returns undefined if nobody else has it.
   *
   * @throws Error with the code SQLITE_BUSY if it takes too long, or if too many are waiting; the refusal, if there is one.
   */
  begin(): Promise<void> | undefined {
    if (this.refusal !== undefined) throw this.refusal;
    if (!this.isTaken) {
      this.isTaken = true;
      return undefined;
    }
    if (this.waiting.size >= MAX_WAITING) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.waiting.delete(begin);
      reject(busy());
    }, this.timeout);
    this.waiting.add(begin);
    return promise;
  }

  /** Ends the current turn and begins that of the next writer. */
  end(): void {
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
