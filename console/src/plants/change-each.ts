import { Refusal } from '../service/connection.ts';
import { isSame, type PlantVersion, readPlant, type StoredPlant } from '../service/plants.ts';

/** Requests at the same time. */
const AT_ONCE = 6;

/** What became of plants that were to be changed. */
export interface Changes {
  readonly changed: readonly StoredPlant[];
  /** How many were not as the user had seen them, and stayed as they are. */
  readonly skipped: number;
}

/** Changes plants as they were seen. One that has changed or gone meanwhile is left alone. */
export async function changeEach(
  plants: readonly StoredPlant[],
  change: (version: PlantVersion) => Promise<unknown>,
): Promise<Changes> {
  const waiting = [...plants];
  const changed: StoredPlant[] = [];
  const worker = async () => {
    for (let plant = waiting.shift(); plant !== undefined; plant = waiting.shift()) {
      if (await changeAsSeen(plant, change)) changed.push(plant);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { changed, skipped: plants.length - changed.length };
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
