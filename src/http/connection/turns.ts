import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/** Milliseconds for which a turn of the event loop begins with new requests, and for which it then begins with those that wait. */
const MAX_BEGIN_MS = 20;

/** Milliseconds for which requests wait while one connection after the other comes in. */
const MAX_ACCEPT_MS = 20;

const waiting: (() => void)[] = [];
let begunAt: number | undefined;
let acceptingSince: number | undefined;
let hasAccepted = false;
let isEnding = false;

/**
 * Asks to begin with something in this turn of the event loop: undefined when it may begin at once, otherwise a promise for a
 * turn in which it may. Without it a turn would last as long as all the requests that have arrived together; those that wait
 * do not keep out what arrives later, which may be small.
 */
export function awaitTurn(): Promise<void> | undefined {
  begunAt ??= performance.now();
  if (!isEnding) void endTurns();
  return acceptingSince !== undefined || isLong(begunAt)
    ? new Promise((resolve) => waiting.push(resolve))
    : undefined;
}

/**
 * Lets requests wait until all connections are accepted that have come in together. Node accepts one in a turn of the event
 * loop (libuv 1.52, `uv__server_io`): if each turn answered those before it, the last of 64 would wait for 2,000 answers.
 */
export function noteConnection(): void {
  // Those that wait already are not to wait for connections without end.
  if (waiting.length === 0) acceptingSince ??= performance.now();
  hasAccepted = true;
  if (!isEnding) void endTurns();
}

async function endTurns(): Promise<void> {
  isEnding = true;
  do {
    await turnOfTheEventLoop();
    begunAt = performance.now();
    const mayBeMore = hasAccepted && acceptingSince !== undefined && begunAt - acceptingSince < MAX_ACCEPT_MS;
    hasAccepted = false;
    if (!mayBeMore) {
      acceptingSince = undefined;
      while (waiting.length > 0 && !isLong(begunAt)) {
        waiting.shift()?.();
        // Behind all that it does at once, such as a statement on SQLite: only then it is known how long that has taken.
        await new Promise<void>((resolve) => process.nextTick(resolve));
      }
    }
    begunAt = undefined;
  } while (waiting.length > 0 || acceptingSince !== undefined);
  isEnding = false;
}

function isLong(start: number): boolean {
  return performance.now() - start >= MAX_BEGIN_MS;
}
