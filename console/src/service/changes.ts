import { Signal } from '@preact/signals';
import type { PlantChange } from '../../../clients/typescript/src/contract.ts';
import { linesOf } from './chunks.ts';
import { parseJson, probe, type Refusal, refusalOf, send } from './connection.ts';
import { type PlantJson, withExactId } from './plants.ts';
import { session } from './session.ts';

/** Changes that are kept in sight. */
export const LATEST = 200;

/** Milliseconds for which changes are gathered before they are shown: imports make thousands of them. */
const GATHER_MS = 500;

/** A change, with the plant as it is after it; before a deletion. */
export type Change = PlantChange;

/** What the console knows of the changes, a new object each time. */
export interface Feed {
  /** Oldest first. */
  readonly changes: readonly Change[];
  /** Why the changes are not followed now. */
  readonly failure?: Refusal;
}

export const feed = new Signal<Feed | undefined>(undefined);

let following = new AbortController();

/** Follows the changes while somebody is signed in and looks. */
export function watchChanges(): void {
  session.subscribe(() => {
    feed.value = undefined;
    followAgain();
  });
  document.addEventListener('visibilitychange', followAgain);
}

/** Follows the changes from the latest ones on. */
export function followAgain(): void {
  following.abort();
  following = new AbortController();
  if (session.value && !document.hidden) void follow(following.signal);
}

async function follow(signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const headers = { Accept: 'text/event-stream' };
    const response = await probe(`plants/changes?after=-${LATEST}`, signal, headers);
    if (response?.ok) {
      attempt = 0;
      // It breaks off when the service stops or the token ends: the next attempt tells why.
      await showChanges(response, signal).catch(() => undefined);
    } else {
      const failure = await refusalOf(response);
      if (signal.aborted) return;
      feed.value = { changes: [], ...feed.value, failure };
      // Only another token or setting can change that.
      if ([401, 403, 410].includes(failure.status)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(2 ** attempt, 30) * 1000));
  }
}

async function showChanges(response: Response, signal: AbortSignal): Promise<void> {
  let events: string[] = [];
  let timer: number | undefined;
  for await (const lines of linesOf(response.body)) {
    events = [...events, ...lines.filter((line) => line.startsWith('data:'))].slice(-LATEST);
    // A sign of life tells only that the changes are followed.
    const isFollowed = feed.value !== undefined && feed.value.failure === undefined;
    if (isFollowed && !lines.some((line) => line.startsWith('data:'))) continue;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted)
        feed.value = { changes: events.map((event) => changeOf(event.slice('data:'.length))) };
    }, GATHER_MS);
  }
}

/** The latest changes of a plant that are kept, newest first. */
export async function changesOfPlant(id: bigint, signal: AbortSignal): Promise<readonly Change[]> {
  const query = { id: String(id), after: '0' };
  const headers = { Accept: 'application/x-ndjson' };
  const response = await send('GET', 'plants/changes', { query, headers, signal });
  let latest: string[] = [];
  for await (const lines of linesOf(response.body)) latest = [...latest, ...lines].slice(-LATEST);
  return latest.toReversed().map(changeOf);
}

function changeOf(json: string): Change {
  const change = parseJson(json) as Change & { readonly plant: PlantJson };
  return { ...change, plant: withExactId(change.plant) };
}
