import { Signal } from '@preact/signals';
import { number, plantCount, texts } from '../../texts.ts';
import { whileBusy } from '../../transfer/background.ts';
import { toastFailure } from '../../ui/messages/message.tsx';
import { go } from '../../ui/route.ts';
import { Refusal } from '../../service/connection.ts';
import {
  batchPlants,
  createPlant,
  deletePlant,
  differencesOf,
  isSame,
  patched,
  type PlantPatch,
  patchPlant,
  readPlant,
  type StoredPlant,
} from '../../service/plants.ts';

/** Maximum plants per request: requests of others wait for it. */
export const MOST = 200;

/** Concurrent requests. */
const AT_ONCE = 4;

/** Stores the progress, so that the page can tell after a reload that it has stopped the change. */
const KEY = 'plant-store-bulk';

const interrupted = sessionStorage.getItem(KEY);
if (interrupted !== null) {
  sessionStorage.removeItem(KEY);
  toastFailure(`Stopped by a reload: ${interrupted}. Undo or repeat it.`, {
    label: texts.activity,
    run: () => go('activity'),
  });
}

/** A change of a plant: no `from` creates it, no `to` deletes it. */
export interface Step {
  readonly from?: StoredPlant | undefined;
  readonly to?: StoredPlant | undefined;
}

interface Outcome {
  readonly done: readonly Step[];
  /** Plants that someone else has changed or deleted, or whose id is taken. */
  readonly skipped: readonly Step[];
  readonly failure: Error | undefined;
}

/** Bulk changes in progress; the list reloads after the last one. */
export const pendingJobs = new Signal(0);

interface JobOptions {
  readonly count?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

/**
 * Changes plants in batches, four at a time, until a request fails or the job is aborted. It skips plants that are gone, and
 * those of which someone else has changed what a step changes.
 */
export async function runSteps(
  some: Iterable<Step[]> | AsyncIterable<Step[]>,
  { count = 1, signal = new AbortController().signal, onProgress }: JobOptions = {},
): Promise<Outcome> {
  const done: Step[] = [];
  const skipped: Step[] = [];
  const add = (step: Step, isDone: boolean) => void (isDone ? done : skipped).push(step);
  const groups = groupsOf(some);
  const work = async () => {
    for await (const group of groups) {
      await runGroup(group, signal, add);
      signal.throwIfAborted();
      const all = done.length + skipped.length;
      onProgress?.(all);
      if (count > MOST) sessionStorage.setItem(KEY, `${number(all)} of ${plantCount(count)}`);
    }
  };
  pendingJobs.value += 1;
  const ends = await whileBusy(async () => Promise.allSettled(Array.from({ length: AT_ONCE }, work)));
  pendingJobs.value -= 1;
  sessionStorage.removeItem(KEY);
  const failed = ends.find((end) => end.status === 'rejected');
  return { done, skipped, failure: failed && !signal.aborted ? (failed.reason as Error) : undefined };
}

async function* groupsOf(some: Iterable<Step[]> | AsyncIterable<Step[]>): AsyncGenerator<Step[]> {
  for await (const steps of some)
    for (let start = 0; start < steps.length; start += MOST) yield steps.slice(start, start + MOST);
}

/** Sends one batch; if it is refused, one request per plant. */
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
      const isAsSeen = (step: Step) => isOpen(step, step.from && tags.get(step.from.id)?.plant);
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

/** Sends one change. @param isSent whether a lost batch may have done it already. */
async function runAlone({ from, to }: Step, isSent: boolean): Promise<boolean> {
  try {
    if (from === undefined) {
      if (to) await createPlant(to);
      return true;
    }
    const version = await readPlant(from.id);
    if (version === undefined) return isSent && to === undefined;
    if (!isOpen({ from, to }, version.plant))
      return isSent && to !== undefined && has(version.plant, from, to);
    await (to ? patchPlant(version, patchBetween(from, to)) : deletePlant(version));
    return true;
  } catch (error) {
    if (isOvertaken(error)) return false;
    throw error;
  }
}

/** Whether a plant has changed, or the batch is unavailable (404, 405) or too large (413, or a sentence that says so). */
function isOvertaken(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  return [404, 405, 412, 413].includes(error.status) || error.message.endsWith('Send several batches.');
}

/** Whether a plant still has what a step changes; a deletion changes all of it. */
function isOpen({ from, to }: Step, now = from): boolean {
  if (!from || !now) return true;
  return to ? has(now, to, from) : isSame(now, from);
}

/** Whether a plant has what a change from one plant to another gives it. */
function has(plant: StoredPlant, from: StoredPlant, to: StoredPlant): boolean {
  return isSame(patched(plant, patchBetween(from, to)), plant);
}

function patchBetween(from: StoredPlant, to: StoredPlant): PlantPatch {
  const changed = differencesOf(from, to).map(({ name, after }) => [name, after ?? null]);
  return Object.fromEntries(changed) as PlantPatch;
}
