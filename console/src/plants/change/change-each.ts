import { Signal } from '@preact/signals';
import { Refusal } from '../../service/connection.ts';
import { isSame, type PlantVersion, readPlant, type StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';

/** Requests at the same time. */
const AT_ONCE = 6;

/** What became of plants that were to be changed. */
export interface Changes {
  readonly changed: readonly StoredPlant[];
  /** What became of the others, for the user; empty if there are none. */
  readonly rest: readonly string[];
}

/** Plants that are to be changed: some of a page, or all that match. */
export interface ChosenPlants {
  readonly count: number;
  /** Some of them, to be named. */
  readonly some: readonly StoredPlant[];
  readonly read: (signal: AbortSignal) => Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
}

/**
 * Changes plants as they were seen, until one cannot be. One that has changed or gone meanwhile is left alone.
 *
 * @throws Error when nothing could be changed.
 */
export async function changeEach(
  chosen: ChosenPlants,
  signal: AbortSignal,
  change: (version: PlantVersion) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<Changes> {
  const changed: StoredPlant[] = [];
  let skipped = 0;
  const failure = await workThrough(chosen.read(signal), signal, async (plant) => {
    if (await changeAsSeen(plant, change)) changed.push(plant);
    else skipped += 1;
    onProgress(changed.length + skipped);
  });
  if (failure && changed.length === 0) throw failure;
  const rest = [...(skipped > 0 ? [texts.skipped(skipped)] : []), ...(failure ? [failure.message] : [])];
  return { changed, rest };
}

/** Works under way: the list is read again when they are over. */
export const works = new Signal(0);

/** Does something with each item, a few at a time, until it fails or is aborted; returns the failure. */
export async function workThrough<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<Error | undefined> {
  const failures: Error[] = [];
  const waiting = (async function* () {
    yield* items;
  })();
  const worker = async () => {
    for await (const item of waiting) {
      await work(item);
      if (failures.length > 0 || signal.aborted) return;
    }
  };
  works.value += 1;
  await Promise.all(
    Array.from({ length: AT_ONCE }, () =>
      worker().catch((error: Error) => void (signal.aborted || failures.push(error))),
    ),
  );
  works.value -= 1;
  return failures[0];
}

async function changeAsSeen(
  seen: StoredPlant,
  change: (version: PlantVersion) => Promise<unknown>,
): Promise<boolean> {
  const version = await readPlant(seen.id);
  if (version === undefined || !isSame(version.plant, seen)) return false;
  try {
    await change(version);
    return true;
  } catch (error) {
    if (error instanceof Refusal && (error.status === 412 || error.status === 404)) return false;
    throw error;
  }
}
