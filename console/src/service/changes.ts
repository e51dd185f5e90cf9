import { Signal } from '@preact/signals';
import type { PlantChange } from '../../../clients/typescript/src/contract.ts';
import { parseJson } from '../exact-json.ts';
import { clear, linesOf, pause, probe, Refusal, refusalOf, type RetryState, send } from './connection.ts';
import { texts } from '../texts.ts';
import { session } from './session.ts';

/** Changes kept in memory. */
export const LATEST = 200;

/** Milliseconds between updates of the page: imports make thousands of changes. */
const GATHER_MS = 500;

/** Milliseconds without a change, after which all changes up to now have come, and for which an update waits for that at most. */
const START_MS = 250;
const PATIENCE_MS = 5_000;

/** A change, with the plant after it; for a deletion, before it. */
export type Change = PlantChange;

/** Query parameters of `GET /plants/changes`. */
export type ChangesQuery = Readonly<Partial<Record<'after' | 'since' | 'id' | 'kind' | 'by', string>>>;

/** The latest changes; a new object for each update. */
export interface Feed {
  readonly changes: readonly Change[];
  readonly failure?: Refusal;
}

export const feed = new Signal<Feed | undefined>(undefined);

/** Keeps `feed` up to date. */
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
  /** @param isStart whether they replace all earlier ones. */
  readonly onChanges: (changes: readonly Change[], isStart: boolean) => void;
  readonly onFailure: (failure: Refusal) => void;
}

/**
 * Follows changes while the user is signed in and the page is visible, until the returned function is called.
 *
 * @param most changes per update; older ones are dropped.
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
  let paused: RetryState | undefined;
  let failure = new Refusal(0, texts.offline);
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const response = await probe(path, signal, { Accept: 'text/event-stream' });
    clear(paused);
    if (response?.ok) {
      attempt = 0;
      // The stream ends when the service stops or the token expires: the next attempt returns the reason.
      await showChanges(response, most, signal, onChanges).catch(() => undefined);
    } else {
      failure = await refusalOf(response);
      if (signal.aborted) return;
      onFailure(failure);
      // A retry would fail too.
      if (failure.status >= 400 && failure.status < 429) return;
    }
    const wait = Math.min(2 ** attempt, 30) * 1000;
    if (attempt === 0) await new Promise((resolve) => setTimeout(resolve, wait));
    else paused = await pause(failure.message, wait, signal).catch(() => undefined);
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
  let gatheredBefore = -1;
  const end = Date.now() + PATIENCE_MS;
  const update = () => {
    // All of the past at once: parts of it have wrong numbers.
    if (isStart && gathered.length > gatheredBefore && Date.now() < end) {
      gatheredBefore = gathered.length;
      timer = setTimeout(update, START_MS);
      return;
    }
    timer = undefined;
    if (!signal.aborted)
      show(
        gathered.map((line) => parseJson(line.slice('data:'.length)) as Change),
        isStart,
      );
    gathered = [];
    isStart = false;
  };
  for await (const lines of linesOf(response)) {
    for (const line of lines) if (line.startsWith('data:')) gathered.push(line);
    if (gathered.length > most) gathered = gathered.slice(-most);
    // Heartbeats count only at the start.
    if (gathered.length > 0 || isStart) timer ??= setTimeout(update, isStart ? START_MS : GATHER_MS);
  }
}

/** The changes of a query up to now as lines of JSON, some at a time. */
export async function* changeLines(query: ChangesQuery, signal: AbortSignal): AsyncGenerator<string[]> {
  const headers = { Accept: 'application/x-ndjson' };
  yield* linesOf(await send('GET', 'plants/changes', { query, headers, signal }));
}
