import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/** Milliseconds after which a turn of the event loop begins with nothing more. */
const MAX_TURN_MS = 20;

const waiting: (() => void)[] = [];
let startedAt: number | undefined;

/**
 * Asks to begin with something in this turn of the event loop: undefined when it may begin at once, otherwise a promise for a
 * turn in which it may. Without it a turn would last as long as all the requests that have arrived together.
 */
export function awaitTurn(): Promise<void> | undefined {
  if (startedAt === undefined) {
    startedAt = performance.now();
    void endTurn();
  } else if (waiting.length > 0 || isLong(startedAt)) {
    return new Promise((resolve) => waiting.push(resolve));
  }
  return undefined;
}

async function endTurn(): Promise<void> {
  await turnOfTheEventLoop();
  while (waiting.length > 0) {
    const start = (startedAt = performance.now());
    for (let next = waiting.shift(); next !== undefined; next = isLong(start) ? undefined : waiting.shift()) {
      next();
      // Lets it do what it does at once.
      await Promise.resolve();
    }
    await turnOfTheEventLoop();
  }
  startedAt = undefined;
}

function isLong(start: number): boolean {
  return performance.now() - start >= MAX_TURN_MS;
}
