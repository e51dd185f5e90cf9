/** Writers that may wait at a time. */
const MAX_WAITING = 1_000;

/**
 * Lets one writer at a time use a SQLite file, first come first served.
 *
 * SQLite has one writer anyway, and waiting for its own lock stops the event loop.
 */
export class WriteTurns {
  /** Begins the turn of each waiting writer; what it wants to do. */
  private readonly waiting = new Map<() => void, string>();
  private isTaken = false;

  /** @param timeout milliseconds that a writer may wait. */
  constructor(private readonly timeout: number) {}

  /**
   * Begins a turn, which the caller has to `end()`. Returns undefined if nobody else has it.
   *
   * @throws Error with the code SQLITE_BUSY if it takes too long, or if too many are waiting.
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

  /** The statement of the writer that is next. */
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
