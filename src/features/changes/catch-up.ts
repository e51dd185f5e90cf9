import { readInTurn } from '../../kernel/database/event-loop.js';
import { Changes } from './change-feed.js';

/** Readers of old changes at a time; the others wait. Each holds a text, of 200 KB at most, until it has the next. */
const MOST_READERS = 64;

/** Milliseconds after which a reader whose client takes nothing gives up its place: `sendLines()` then counts its text. */
const STUCK_MS = 1_000;

/** Who waits for a place, in the order of their requests. */
const waiting: (() => void)[] = [];
let readers = 0;

/** A reader's place among those that read at a time. */
class Place {
  private isTaken = false;

  async take(): Promise<void> {
    if (this.isTaken) return;
    if (readers < MOST_READERS) readers += 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      await promise;
    }
    this.isTaken = true;
  }

  leave(): void {
    if (!this.isTaken) return;
    this.isTaken = false;
    const next = waiting.shift();
    if (next === undefined) readers -= 1;
    else next();
  }
}

/** Texts after which a reader lets others have its place. */
const TEXTS = 4;

/**
 * Reads old changes, which each client reads for itself: a thousand that come back at once neither stop others nor fill the memory.
 *
 * @param read begins to read after a cursor.
 */
export async function* catchUp(
  read: (after: bigint) => AsyncGenerator<Changes, void>,
  after: bigint,
): AsyncGenerator<Changes, void> {
  const place = new Place();
  let stuck: NodeJS.Timeout | undefined;
  try {
    for (let cursor = after; ;) {
      await place.take();
      const changes = read(cursor);
      for (let left = TEXTS; left > 0; left -= 1) {
        const { done, value } = await readInTurn(() => changes.next());
        if (done === true) return;
        cursor = value.last;
        stuck = setTimeout(() => place.leave(), STUCK_MS);
        yield value;
        clearTimeout(stuck);
      }
      await changes.return();
      // Nobody on the way to the client keeps the last text while this one waits.
      yield new Changes([], cursor);
      place.leave();
    }
  } finally {
    clearTimeout(stuck);
    place.leave();
  }
}
