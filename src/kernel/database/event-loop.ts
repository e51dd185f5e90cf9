/** Milliseconds of heavy steps in one turn of the event loop. */
const SLICE_MS = 2;

/** The waiting steps, in the order of their requests. */
const waiting: (() => void)[] = [];
let isCalling = false;

/** When the steps of this turn of the event loop began; undefined if it has none yet. */
let begunAt: number | undefined;

/**
 * Waits until the caller may do a heavy step: a statement on SQLite, a part of a stream, a line of an import, an operation of a
 * batch. `await` it before each.
 *
 * First come, first served: between two steps of a loop, every other waiting caller gets one.
 */
export function takeTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (!isCalling) callNext();
  return promise;
}

function callNext(): void {
  isCalling = waiting.length > 0;
  if (!isCalling) return;
  if (begunAt === undefined) {
    begunAt = performance.now();
    setImmediate(() => (begunAt = undefined));
  }
  if (performance.now() - begunAt > SLICE_MS) {
    setImmediate(callNext);
    return;
  }
  waiting.shift()?.();
  // A tick requested in a microtask runs after all microtasks, so after the step.
  queueMicrotask(() => process.nextTick(callNext));
}

/** Pages that are read at a time: half of the connections of the default pool. */
const MOST_PAGES = 5;

/** Pages that wait to begin, in the order of their requests. */
const pages: (() => void)[] = [];
let running = 0;

/** Reads a page, a few at a time: the others hold no rows, and leave connections and the event loop to single plants. */
export async function readInTurn<Result>(read: () => Promise<Result>): Promise<Result> {
  if (running < MOST_PAGES) running += 1;
  else {
    const { promise, resolve } = Promise.withResolvers<void>();
    pages.push(resolve);
    await promise;
  }
  try {
    return await read();
  } finally {
    const next = pages.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
