/** The bytes of bodies and answers that all exchanges together may hold (`REQUEST_MEMORY_LIMIT`). */
export class MemoryBudget {
  private taken = 0;

  constructor(private readonly limit: number) {}

  /** Takes bytes, or gives some back when their number is negative; false when there are not so many. */
  take(bytes: number): boolean {
    if (bytes > 0 && this.taken + bytes > this.limit) return false;
    this.taken += bytes;
    return true;
  }
}
