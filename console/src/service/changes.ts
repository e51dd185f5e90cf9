import { Signal } from '@preact/signals';
import type { PlantChange } from '../../../clients/typescript/src/contract.ts';
import { parseJson } from '../exact-json.ts';
import { linesOf, probe, type Refusal, refusalOf } from './connection.ts';
import { session } from './session.ts';

/** Changes that are kept in sight. */
export const LATEST = 200;

/** Milliseconds for which changes are gathered before they are shown: imports make thousands of them. */
const GATHER_MS = 500;

/** A change, with the plant as it is after it; before a deletion. */
export type Change = PlantChange;

/** Which changes are followed, as the service has it. */
export type ChangesQuery = Readonly<Partial<Record<'after' | 'since' | 'id' | 'kind' | 'by', string>>>;

/** What the console knows of the changes, a new object each time. */
export interface Feed {
  readonly changes: readonly Change[];
  readonly failure?: Refusal;
}

export const feed = new Signal<Feed | undefined>(undefined);

/** Keeps the latest changes in sight. */
export function watchChanges(): void {
  session.subscribe(() => (feed.value = undefined));
  followChanges({ after: `-${LATEST}` }, LATEST, {
    onChanges: (changes, isStart) => {
      const before = isStart ? [] : (feed.value?.changes ?? []);
      feed.value = { changes: [...before, ...changes].slice(-LATEST) };
    },
    onFailure: (failure) => (feed.value = { changes: [], ...feed.value, failure }),
  });
}

interface Follower {
  /** @param isStart whether they replace all before. */
  readonly onChanges: (changes: readonly Change[], isStart: boolean) => void;
  readonly onFailure: (failure: Refusal) => void;
}

/**
 * Follows changes while somebody is signed in and looks, until the returned function is called.
 *
 * @param most how many are shown at once at most: the latest.
 */
export function followChanges(query: ChangesQuery, most: number, follower: Follower): () => void {
  let following = new AbortController();
  const again = () => {
    following.abort();
    following = new AbortController();
    if (session.value && !document.hidden) void follow(query, most, following.signal, follower);
  };
  document.addEventListener('visibilitychange', again);
  const leave = session.subscribe(again);
  return () => {
    following.abort();
    leave();
    document.removeEventListener('visibilitychange', again);
  };
}

async function follow(
  query: ChangesQuery,
  most: number,
  signal: AbortSignal,
  { onChanges, onFailure }: Follower,
): Promise<void> {
  const path = `plants/changes?${new URLSearchParams(query)}`;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const response = await probe(path, signal, { Accept: 'text/event-stream' });
    if (response?.ok) {
      attempt = 0;
      // It breaks off when the service stops or the token ends: the next attempt tells why.
      await showChanges(response, most, signal, onChanges).catch(() => undefined);
    } else {
      const failure = await refusalOf(response);
      if (signal.aborted) return;
      onFailure(failure);
      // Only another token, filter or setting can change that.
      if (failure.status >= 400 && failure.status < 429) return;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(2 ** attempt, 30) * 1000));
  }
}

async function showChanges(
  response: Response,
  most: number,
  signal: AbortSignal,
  show: Follower['onChanges'],
): Promise<void> {
  let gathered: string[] = [];
  let isStart = true;
  let timer: number | undefined;
  for await (const lines of linesOf(response.body)) {
    gathered = [...gathered, ...lines.filter((line) => line.startsWith('data:'))].slice(-most);
    // A sign of life tells only that the changes are followed.
    if (gathered.length > 0 || isStart)
      timer ??= setTimeout(() => {
        timer = undefined;
        if (!signal.aborted)
          show(
            gathered.map((line) => parseJson(line.slice('data:'.length)) as Change),
            isStart,
          );
        gathered = [];
        isStart = false;
      }, GATHER_MS);
  }
}
