/** The maximum number of waiting writers. */
const MAX_WAITING = 1_000;

/**
 * Lets one writer at a time use a SQLite file, first come, first served.
 *
 * SQLite allows one writer anyway, and waiting for its lock blocks the event loop.
 */
export class WriteTurns {
  /** Waiting writers: a function that begins the turn of each, and its statement. */
  private readonly waiting = new Map<() => void, string>();
  private isTaken = false;

  /** @param timeout milliseconds that a writer may wait. */
  constructor(private readonly timeout: number) {}

  /**
   * Begins a turn, which the caller must `end()`. Returns undefined if the turn was free.
   *
   * @throws Error with the code SQLITE_BUSY if the wait is too long, or too many writers are waiting.
   */
  begin(text: string): Promise<void> | undefined {
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
    this.waiting.set(begin, text);
    return promise;
  }

  /** The statement of the next writer. */
  get next(): string | undefined {
    const [next] = this.waiting.values();
    return next;
  }

  /** Ends the current turn and begins that of the next writer. */
  end(): void {
    const [next] = this.waiting.keys();
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
