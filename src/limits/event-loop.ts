/** Milliseconds of work after which the event loop gets a turn. */
const SLICE_MS = 2;

let sliceStart: number | undefined;

/**
 * Whether this turn of the event loop has worked for long enough: many heavy steps take longer, but everyone else waits for
 * one of them only. Use it as `while (isSliceOver()) await setImmediate();`
 */
export function isSliceOver(): boolean {
  if (sliceStart !== undefined) return performance.now() - sliceStart > SLICE_MS;
  sliceStart = performance.now();
  setImmediate(() => (sliceStart = undefined));
  return false;
}
