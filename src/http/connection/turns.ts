import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/** Milliseconds for which a turn of the event loop begins with new requests, and for which it then begins with those that wait. */
const MAX_BEGIN_MS = 20;

const waiting: (() => void)[] = [];
let begunAt: number | undefined;
let isEnding = false;

/**
 * Asks to begin with something in this turn of the event loop: undefined when it may begin at once, otherwise a promise for a
 * turn in which it may. Without it a turn would last as long as all the requests that have arrived together; those that wait
 * do not keep out what arrives later, which may be small.
 */
export function awaitTurn(): Promise<void> | undefined {
  begunAt ??= performance.now();
  if (!isEnding) void endTurns();
  return isLong(begunAt) ? new Promise((resolve) => waiting.push(resolve)) : undefined;
}

async function endTurns(): Promise<void> {
  isEnding = true;
  do {
    await turnOfTheEventLoop();
    begunAt = performance.now();
    while (waiting.length > 0 && !isLong(begunAt)) {
      waiting.shift()?.();
      // Lets it do what it does at once.
      await Promise.resolve();
    }
    begunAt = undefined;
  } while (waiting.length > 0);
  isEnding = false;
}

function isLong(start: number): boolean {
  return performance.now() - start >= MAX_BEGIN_MS;
}
