/** Milliseconds of work after which the event loop gets a turn. */
const SLICE_MS = 2;

/** Shares out the turns of the event loop among heavy steps of one kind: many take longer, but everyone else waits for one only. */
export class Slices {
  private start: number | undefined;

  /** Whether this turn has had enough of them. Use it as `while (slices.isOver()) await setImmediate();` */
  isOver(): boolean {
    if (this.start !== undefined) return performance.now() - this.start > SLICE_MS;
    this.start = performance.now();
    setImmediate(() => (this.start = undefined));
    return false;
  }
}
