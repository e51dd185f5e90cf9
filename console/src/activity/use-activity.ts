import { useEffect, useState } from 'preact/hooks';
import { type ChangesQuery, type Feed, followChanges } from '../service/changes.ts';
import { readCurrentToken } from '../service/tokens.ts';
import { ActivityLog } from './activity-log.ts';

/** The latest changes that a view without a filter begins with: as many as the service finds. */
const LATEST = 999;

const HOUR_MS = 3_600_000;

/** Which changes are shown; `since` is a range of the view, or a time of the user's clock. */
export type Filter = Omit<ChangesQuery, 'after'>;

interface Activity {
  /** undefined until the service has answered. */
  readonly log?: ActivityLog;
  readonly count: number;
  readonly failure?: Feed['failure'];
}

/** Follows the changes of a filter. */
export function useActivity(filter: Filter, isPaused = false) {
  const [activity, setActivity] = useState<Activity>({ count: 0 });
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    if (isPaused) return undefined;
    const query = queryOf(filter);
    const most = query.after === `-${LATEST}` ? LATEST : Infinity;
    return followChanges(query, Infinity, {
      onChanges: (changes, isStart) =>
        setActivity((before) => {
          const { log, count } = isStart ? { log: undefined, count: 0 } : before;
          return {
            log: (log ?? new ActivityLog()).with(changes, isStart && changes.length >= most),
            count: count + changes.length,
          };
        }),
      onFailure: (failure) => setActivity((before) => ({ ...before, failure })),
    });
  }, [JSON.stringify(filter), isPaused, attempts]);
  /** Asks for another token if this one has ended. */
  const reload = () => {
    const again = () => setAttempts((before) => before + 1);
    void readCurrentToken(new AbortController().signal).then(again, again);
  };
  return { failure: undefined, ...activity, reload };
}

/** Without a time: the latest changes, or all that are kept and match. */
export function queryOf({ since = '', ...filter }: Filter): ChangesQuery {
  const today = new Date().setHours(0, 0, 0, 0);
  const from = { hour: Date.now() - HOUR_MS, today }[since] ?? new Date(since).getTime();
  if (Number.isNaN(from)) return { ...filter, after: Object.keys(filter).length === 0 ? `-${LATEST}` : '0' };
  return { ...filter, since: new Date(from).toISOString() };
}
