import { useEffect, useState } from 'preact/hooks';
import { type ChangesQuery, type Feed, followChanges } from '../service/changes.ts';
import { session } from '../service/session.ts';
import { listTokens, may, readCurrentToken } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { ActivityIcon, Icon, PausedIcon, ResumeIcon } from '../ui/icons.tsx';
import { LoadFailure } from '../ui/notice.tsx';
import { addressOf, go, route } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import styles from './activity.module.css';
import { ActivityList } from './activity-list.tsx';
import { ActivityLog } from './activity-log.ts';

/** The latest changes that a view without a time begins with: as many as the service finds. */
const LATEST = 999;

const HOUR_MS = 3_600_000;

/** Who did what to which plant and when, as it happens. */
export function ActivityView() {
  const { since = '', kind = '', by = '', id = '' } = route.value.query;
  const filter = { since, kind, by, id };
  const [isPaused, setPaused] = useState(false);
  const [attempts, setAttempts] = useState(0);
  const { log, count, failure } = useActivity(filter, isPaused, attempts);
  const tokens = useLoaded(async (signal) => (may('admin') ? listTokens(signal) : []), [session.value]);
  const { ranges, kinds, states, ...words } = texts.activity;
  const set = (changed: Partial<typeof filter>) => {
    const given = Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== '');
    go('activity', Object.fromEntries(given), { isReplacement: true });
  };
  const isFiltered = Object.values(filter).some((value) => value !== '');
  /** Asks for another token if this one has ended. */
  const reload = () => {
    const again = () => setAttempts((before) => before + 1);
    void readCurrentToken(new AbortController().signal).then(again, again);
  };
  const address = new URL(`../plants/changes?${new URLSearchParams(queryOf(filter))}`, location.href).href;
  const state = isPaused ? states.paused : failure ? states.ended : states.live;
  return (
    <>
      <header class={styles['head']}>
        <h1 tabIndex={-1}>{texts.views.activity}</h1>
        <p role="status" class="soft">
          {log ? `${state}: ${words.changes(count)}` : texts.loading}
        </p>
        <button type="button" onClick={() => setPaused(!isPaused)}>
          <Icon of={isPaused ? ResumeIcon : PausedIcon} /> {isPaused ? words.goOn : words.pause}
        </button>
        <CopyButton
          label={texts.plants.copyCommand}
          text={`curl '${address}' -H 'Accept: application/x-ndjson' -H "Authorization: Bearer $TOKEN"`}
        />
      </header>
      <form class={styles['filters']} role="search" onSubmit={(event) => event.preventDefault()}>
        <fieldset aria-label={words.range}>
          {Object.entries(ranges).map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={since === value}
              onClick={() => set({ since: value })}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <label>
          {words.since}{' '}
          <input
            type="datetime-local"
            value={since in ranges ? '' : since}
            onChange={({ currentTarget: { value } }) => set({ since: value })}
          />
        </label>
        <Choice
          name={words.kind}
          value={kind}
          options={[['', words.anyKind], ...Object.entries(kinds)]}
          onChoose={(value) => set({ kind: value })}
        />
        {may('admin') && (
          <Choice
            name={words.by}
            value={by}
            options={[
              ['', words.anybody],
              ...(tokens.value ?? []).map((token) => [token.id, token.name] as const),
            ]}
            onChoose={(value) => set({ by: value })}
          />
        )}
        <input
          type="search"
          autoComplete="off"
          aria-label={words.plant}
          placeholder={words.plant}
          value={id}
          onChange={({ currentTarget: { value } }) => set({ id: value.trim() })}
        />
        {isFiltered && <a href={addressOf('activity')}>{words.clear}</a>}
      </form>
      <LoadFailure of={{ value: undefined, failure, isLoading: false, reload }} />
      {log && <ActivityList log={log} groups={log.groups} tokens={tokens.value} />}
      {log && count === 0 && !failure && (
        <div class="empty">
          <Icon of={ActivityIcon} />
          <h2>{words.none}</h2>
          <p>{words.noneHint}</p>
        </div>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ name, value, options, onChoose }: ChoiceProps) {
  // The address may have what nobody has chosen here.
  const all = options.some(([each]) => each === value) ? options : [...options, [value, value] as const];
  return (
    <select aria-label={name} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {all.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface Filter {
  /** A range of `texts`, or a time of the user's clock. */
  readonly since: string;
  readonly kind: string;
  readonly by: string;
  readonly id: string;
}

/** What is known of the changes of a filter. */
interface Activity {
  /** undefined until the service has answered. */
  readonly log?: ActivityLog;
  readonly count: number;
  readonly failure?: Feed['failure'];
}

/** Follows the changes of a filter, which begins again with each attempt. */
function useActivity(filter: Filter, isPaused: boolean, attempts: number): Activity {
  const [activity, setActivity] = useState<Activity>({ count: 0 });
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
  return activity;
}

function queryOf({ since, ...filter }: Filter): ChangesQuery {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  const today = new Date().setHours(0, 0, 0, 0);
  const from = { hour: Date.now() - HOUR_MS, today }[since] ?? new Date(since).getTime();
  // Without a time: the latest, or all that are kept and match.
  if (Number.isNaN(from)) return { ...given, after: Object.keys(given).length === 0 ? `-${LATEST}` : '0' };
  return { ...given, since: new Date(from).toISOString() };
}
