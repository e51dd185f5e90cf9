/** How many callers may wait, and for how many milliseconds; beyond it, they get the error. */
interface Patience {
  readonly mostWaiting: number;
  readonly timeout: number;
  readonly refusal: () => Error;
}

/** Lets a few callers at a time do something. The others wait, first come, first served. */
export class Semaphore {
  /** How many have been let in and have not released. */
  taken = 0;
  /** Each lets in a waiting caller. */
  private readonly waiting = new Set<() => void>();

  constructor(
    readonly most: number,
    private readonly patience?: Patience,
  ) {}

  /**
   * Waits for its turn; the caller must then `release()`. Returns undefined if nobody has to wait.
   *
   * @throws Error of the `refusal` if the wait is too long, or too many callers are waiting.
   */
  take(): Promise<void> | undefined {
    if (this.taken < this.most) {
      this.taken += 1;
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.patience === undefined) {
      this.waiting.add(resolve);
      return promise;
    }
    const { mostWaiting, timeout, refusal } = this.patience;
    if (this.waiting.size >= mostWaiting) throw refusal();
    const letIn = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.waiting.delete(letIn);
      reject(refusal());
    }, timeout);
    this.waiting.add(letIn);
    return promise;
  }

  release(): void {
    const [next] = this.waiting;
    if (next === undefined) this.taken -= 1;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}
