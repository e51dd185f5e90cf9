import { Signal } from '@preact/signals';
import { Refusal } from '../../service/connection.ts';
import {
  batchPlants,
  createPlant,
  deletePlant,
  differencesOf,
  isSame,
  type PlantPatch,
  patchPlant,
  readPlant,
  type StoredPlant,
} from '../../service/plants.ts';

/** Plants that are changed by one request at most: others wait for it. */
const MOST = 200;

/** What becomes of a plant: a new one has no `from`, a deleted one no `to`. */
export interface Step {
  readonly from?: StoredPlant | undefined;
  readonly to?: StoredPlant | undefined;
}

interface Outcome {
  readonly done: readonly Step[];
  /** Plants that someone else has changed or deleted, or whose id is taken. */
  readonly skipped: number;
  readonly failure: Error | undefined;
}

/** Jobs that change several plants: the list is read again after the last one. */
export const pendingJobs = new Signal(0);

/** Changes plants, some at a time, that are as they were seen, until a change fails or the job is aborted. */
export async function runSteps(
  some: Iterable<Step[]> | AsyncIterable<Step[]>,
  signal: AbortSignal = new AbortController().signal,
  onProgress: (done: number) => void = () => undefined,
): Promise<Outcome> {
  const done: Step[] = [];
  let skipped = 0;
  let failure: Error | undefined;
  const count = (step: Step, isDone: boolean) => {
    if (isDone) done.push(step);
    else skipped += 1;
  };
  pendingJobs.value += 1;
  try {
    for await (const steps of some)
      for (let start = 0; start < steps.length; start += MOST) {
        await runGroup(steps.slice(start, start + MOST), signal, count);
        signal.throwIfAborted();
        onProgress(done.length + skipped);
      }
  } catch (error) {
    if (!signal.aborted) failure = error as Error;
  }
  pendingJobs.value -= 1;
  return { done, skipped, failure };
}

/** All at once; each alone where the service refuses them together. */
async function runGroup(
  group: readonly Step[],
  signal: AbortSignal,
  count: (step: Step, isDone: boolean) => void,
): Promise<void> {
  let isSent = false;
  try {
    if (group.length > 1) {
      const versions = await batchPlants(
        group.flatMap(({ from }) => (from ? { kind: 'patch' as const, id: from.id, body: {} } : [])),
      );
      const tags = new Map(versions.map(({ plant, entityTag }) => [plant.id, { plant, entityTag }]));
      const isAsSeen = ({ from }: Step) => !from || isSame(tags.get(from.id)?.plant ?? from, from);
      signal.throwIfAborted();
      isSent = true;
      await batchPlants(
        group.filter(isAsSeen).map(({ from, to }) => {
          const ifMatch = from && tags.get(from.id)?.entityTag;
          if (to === undefined) return { kind: 'delete', id: from?.id, ifMatch };
          const { id, ...body } = to;
          if (from === undefined) return { kind: 'put', id, body, ifNoneMatch: '*' };
          return { kind: 'patch', id, body: patchBetween(from, to), ifMatch };
        }),
      );
      for (const step of group) count(step, isAsSeen(step));
      return;
    }
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
  for (const step of group) {
    signal.throwIfAborted();
    count(step, await runAlone(step, isSent));
  }
}

/** @param isSent whether the service may have done it already, and its answer was lost. */
async function runAlone({ from, to }: Step, isSent: boolean): Promise<boolean> {
  try {
    if (from === undefined) {
      if (to) await createPlant(to);
      return true;
    }
    const version = await readPlant(from.id);
    if (version === undefined) return isSent && to === undefined;
    if (!isSame(version.plant, from)) return isSent && to !== undefined && isSame(version.plant, to);
    await (to ? patchPlant(version, patchBetween(from, to)) : deletePlant(version));
    return true;
  } catch (error) {
    if (isOvertaken(error)) return false;
    throw error;
  }
}

/** Whether a plant is not as it was seen; a service without batches has no such path, and long texts are too much for one. */
function isOvertaken(error: unknown): boolean {
  return error instanceof Refusal && [404, 405, 412, 413].includes(error.status);
}

function patchBetween(from: StoredPlant, to: StoredPlant): PlantPatch {
  const changed = differencesOf(from, to).map(({ name, after }) => [name, after ?? null]);
  return Object.fromEntries(changed) as PlantPatch;
}
