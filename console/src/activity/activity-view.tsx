import { useState } from 'preact/hooks';
import { session } from '../service/session.ts';
import { listTokens, may } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { CopyButton } from '../ui/controls/copy.tsx';
import { ActivityIcon, Icon, PausedIcon, ResumeIcon } from '../ui/icons.tsx';
import { LoadFailure } from '../ui/messages/notice.tsx';
import { addressOf, go, route } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import styles from './activity.module.css';
import { ActivityList } from './activity-list.tsx';
import { type Filter, queryOf, useActivity } from './use-activity.ts';

/** Who did what to which plant and when, as it happens. */
export function ActivityView() {
  const filter: Filter = route.value.query;
  const { since = '', kind = '', by = '', id = '' } = filter;
  const [isPaused, setPaused] = useState(false);
  const activity = useActivity(filter, isPaused);
  const { log, count, failure } = activity;
  const tokens = useLoaded(async (signal) => (may('admin') ? listTokens(signal) : []), [session.value]);
  const { ranges, kinds, states, ...words } = texts.activity;
  const set = (changed: Filter) => {
    const given = Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== '');
    go('activity', Object.fromEntries(given), { isReplacement: true });
  };
  const address = new URL(`../plants/changes?${new URLSearchParams(queryOf(filter))}`, location.href).href;
  const state = isPaused ? states.paused : failure ? states.ended : states.live;
  return (
    <>
      <header class="tools">
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
      <form class={`tools ${styles['filters']}`} role="search" onSubmit={(event) => event.preventDefault()}>
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
        {Object.keys(filter).length > 0 && <a href={addressOf('activity')}>{words.clear}</a>}
      </form>
      <LoadFailure of={activity} />
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
