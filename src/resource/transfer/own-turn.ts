import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/** When the latest caller has its turn. */
let lastTurn: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller gets: many heavy steps take longer, and everyone else waits for one. */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => turnOfTheEventLoop());
  return lastTurn;
}
