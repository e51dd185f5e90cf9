import { type ApiException, unavailable } from '../../errors/api.exception.js';

/**
 * Requests that may wait for the rest of their body at a time. Each takes about 40 KiB that are not counted: itself, its
 * headers, and the part of its body that is free.
 */
const MAX_UNFINISHED = 1_024;

/** A request whose body is still coming. */
interface Unfinished {
  /** Gives the request up. */
  fail(failure: ApiException): void;
}

/** The memory of all exchanges together: the bytes of their bodies and answers (`REQUEST_MEMORY_LIMIT`), and what waits for bytes. */
export class MemoryBudget {
  private taken = 0;
  /** Those that have begun first come first. */
  private readonly unfinished = new Set<Unfinished>();

  constructor(private readonly limit: number) {}

  /** Takes bytes, or gives some back when their number is negative; false when there are not so many. */
  take(bytes: number): boolean {
    if (bytes > 0 && this.taken + bytes > this.limit) return false;
    this.taken += bytes;
    return true;
  }

  /**
   * Lets a request wait for its body, until it is finished. When too many do, the one that has waited for longest is answered
   * 50300: slow clients keep out each other, and not those whose body comes at once.
   */
  await(request: Unfinished): void {
    this.unfinished.add(request);
    if (this.unfinished.size <= MAX_UNFINISHED) return;
    const [slowest] = this.unfinished;
    if (slowest === undefined) return;
    this.unfinished.delete(slowest);
    slowest.fail(unavailable('Too many requests wait for their body.'));
  }

  /** The body of a request is there, or will not come any more. */
  finish(request: Unfinished): void {
    this.unfinished.delete(request);
  }
}
