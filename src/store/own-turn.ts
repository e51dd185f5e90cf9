import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/** When the last one has had its turn. */
let lastTurn: Promise<void> = Promise.resolve();

/**
 * A turn of the event loop that nobody else has who asks for one: many who do much take longer, and everyone else waits for
 * one of them a turn.
 */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => turnOfTheEventLoop());
  return lastTurn;
}
