import { Semaphore } from './semaphore.js';

/** Milliseconds of statements and steps in one pass of the event loop. */
const SLICE_MS = 2;

/** Who waits for a statement, and for a step, in the order of their requests. */
const statements: (() => void)[] = [];
const steps: (() => void)[] = [];
let isCalling = false;

/** When this pass of the event loop began to call; undefined if it has not. */
let begunAt: number | undefined;
/** Whether no step has had its turn in this pass. */
let isStepDue = true;

/**
 * Waits until the caller may run a statement on SQLite. Statements are short, so they go before all steps, but for one in each
 * pass of the event loop.
 */
export function takeStatementTurn(): Promise<void> {
  return joinQueue(statements);
}

/**
 * Waits until the caller may do a step of a long work: a part of a stream, the JSON of a long row, a line of an import, an
 * operation of a batch. `await` it before each.
 *
 * First come, first served: between two steps of a loop, every other waiting caller gets one.
 */
export function takeTurn(): Promise<void> {
  return joinQueue(steps);
}

function joinQueue(queue: (() => void)[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.push(resolve);
  if (!isCalling) callNext();
  return promise;
}

function callNext(): void {
  isCalling = statements.length + steps.length > 0;
  if (!isCalling) return;
  if (begunAt === undefined) {
    begunAt = performance.now();
    isStepDue = true;
    setImmediate(() => (begunAt = undefined));
  }
  const isOver = performance.now() - begunAt > SLICE_MS;
  if (isOver && !(isStepDue && steps.length > 0)) {
    setImmediate(callNext);
    return;
  }
  const queue = isOver || statements.length === 0 ? steps : statements;
  if (queue === steps) isStepDue = false;
  queue.shift()?.();
  // A tick requested in a microtask runs after all microtasks, so after the step.
  queueMicrotask(() => process.nextTick(callNext));
}

/** Pages that are read at a time: half of the connections of the default pool. */
const MOST_PAGES = 5;

const pages = new Semaphore(MOST_PAGES);

/** Reads a page, a few at a time: the others hold no rows, and leave connections and the event loop to single plants. */
export async function readInTurn<Result>(read: () => Promise<Result>): Promise<Result> {
  const turn = pages.take();
  if (turn !== undefined) await turn;
  try {
    return await read();
  } finally {
    pages.release();
  }
}
