import { Refusal } from '../service/connection.ts';
import { isSame, type PlantVersion, readPlant, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';

/** Requests at the same time. */
const AT_ONCE = 6;

/** What became of plants that were to be changed. */
export interface Changes {
  readonly changed: readonly StoredPlant[];
  /** What became of the others, for the user; empty if there are none. */
  readonly rest: string;
}

/**
 * Changes plants as they were seen, until one cannot be. One that has changed or gone meanwhile is left alone.
 *
 * @throws Error when nothing could be changed.
 */
export async function changeEach(
  plants: readonly StoredPlant[],
  signal: AbortSignal,
  change: (version: PlantVersion) => Promise<unknown>,
): Promise<Changes> {
  const waiting = [...plants];
  const changed: StoredPlant[] = [];
  const failures: Error[] = [];
  let skipped = 0;
  const worker = async () => {
    while (failures.length === 0 && !signal.aborted) {
      const plant = waiting.shift();
      if (plant === undefined) return;
      if (await changeAsSeen(plant, change)) changed.push(plant);
      else skipped += 1;
    }
  };
  await Promise.all(
    Array.from({ length: AT_ONCE }, () => worker().catch((error: Error) => void failures.push(error))),
  );
  const [failure] = failures;
  if (failure && changed.length === 0) throw failure;
  const rest = [...(skipped > 0 ? [texts.skipped(skipped)] : []), ...(failure ? [failure.message] : [])];
  return { changed, rest: rest.join(' ') };
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
