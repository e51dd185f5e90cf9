import { useEffect, useState } from 'preact/hooks';
import { type Change, type ChangesQuery, followChanges } from '../service/changes.ts';
import { probe, readJson } from '../service/connection.ts';
import { readCurrentToken } from '../service/tokens.ts';
import { ActivityLog } from './activity-log.ts';

/** Changes without a filter: the maximum of the service. */
const LATEST = 999;

const HOUR_MS = 3_600_000;

/** Filters of the view; `since` is a named range, or a local time. */
export type Filter = Omit<ChangesQuery, 'after'>;

/** Follows the changes of a filter. The log is undefined until it is loaded. */
export function useActivity(filter: Filter, isPaused = false) {
  const [activity, setActivity] = useState<{ log?: ActivityLog | undefined; failure?: Error }>({});
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    if (isPaused) return undefined;
    const controller = new AbortController();
    let end = () => controller.abort();
    const begin = async () => {
      const query = await startOf(queryOf(filter), controller.signal);
      if (controller.signal.aborted) return;
      end = followChanges(query, Infinity, {
        onChanges: (changes, isStart) =>
          setActivity(({ log }) => ({ log: ((!isStart && log) || new ActivityLog()).with(changes) })),
        onFailure: (failure) => setActivity(({ log }) => ({ log, failure })),
      });
    };
    void begin();
    return () => end();
  }, [JSON.stringify(filter), isPaused, attempts]);
  /** Opens the sign-in if the token is invalid. */
  const reload = () => {
    const again = () => setAttempts((before) => before + 1);
    void readCurrentToken().then(again, again);
  };
  return { failure: undefined, ...activity, reload };
}

/** The query of a filter. Without a time: the latest changes, or all that match. */
function queryOf({ since = '', ...filter }: Filter): ChangesQuery {
  const today = new Date().setHours(0, 0, 0, 0);
  const from = { hour: Date.now() - HOUR_MS, today }[since] ?? new Date(since).getTime();
  if (Number.isNaN(from)) return { ...filter, after: Object.keys(filter).length === 0 ? `-${LATEST}` : '0' };
  return { ...filter, since: new Date(from).toISOString() };
}

/** Where the latest changes begin: with whole minutes, so that their groups are whole, and with today at the latest. */
async function startOf(query: ChangesQuery, signal: AbortSignal): Promise<ChangesQuery> {
  if (query.after !== `-${LATEST}`) return query;
  try {
    const response = await probe(`plants/changes?after=-${LATEST}&limit=1`, signal);
    const [first] = response?.ok ? await readJson<Change[]>(response) : [];
    if (first === undefined) return query;
    const start = Math.min(new Date(first.at).setSeconds(0, 0), new Date().setHours(0, 0, 0, 0));
    return { since: new Date(start).toISOString() };
  } catch {
    return query;
  }
}
