import { Activity, CirclePause, CirclePlay } from '../ui/icons.js';
import { useState } from 'preact/hooks';
import { seesOthers } from '../service/tokens.ts';
import { plural, texts } from '../texts.ts';
import { Button, Icon } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { addressOf, go, route } from '../ui/route.ts';
import { ActivityList, useTokens } from './activity-list.tsx';
import styles from './activity.module.css';
import { type Filter, useActivity } from './use-activity.ts';

const RANGES = { '': 'Latest', hour: 'Last hour', today: 'Today' };

/** The live log of changes. */
export function ActivityView() {
  const filter: Filter = route.value.query;
  const { since = '', kind = '', by = '', id = '' } = filter;
  const [isPaused, setPaused] = useState(false);
  const activity = useActivity(filter, isPaused);
  const { log, failure } = activity;
  const tokens = useTokens();
  const set = (changed: Filter) => {
    const parameters = Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== '');
    go('activity', Object.fromEntries(parameters), { isReplacement: true });
  };
  const state = isPaused ? 'Paused:' : failure ? 'Disconnected:' : 'Latest';
  return (
    <Page
      title="Activity"
      lead={log ? `${state} ${plural(log.count, 'change')}` : texts.loading}
      of={{ ...activity, value: log }}
      tools={
        <Button icon={isPaused ? CirclePlay : CirclePause} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      }
    >
      <form class={`tools ${styles['filters']}`} role="search" onSubmit={(event) => event.preventDefault()}>
        <fieldset aria-label="Time">
          {Object.entries(RANGES).map(([value, name]) => (
            <Button
              key={value}
              class={since === value ? '' : 'quiet'}
              aria-pressed={since === value}
              onClick={() => set({ since: value })}
            >
              {name}
            </Button>
          ))}
        </fieldset>
        <label class="soft">
          Since{' '}
          <input
            type="datetime-local"
            value={since in RANGES ? '' : since}
            onChange={({ currentTarget: { value } }) => set({ since: value })}
          />
        </label>
        <Select
          aria-label="Kind"
          value={kind}
          options={{ '': 'All changes', created: 'created', changed: 'changed', deleted: 'deleted' }}
          onChoose={(value) => set({ kind: value })}
        />
        {seesOthers() && (
          <Select
            aria-label="Who"
            value={by}
            options={{
              '': 'Anyone',
              ...Object.fromEntries(tokens?.map((each) => [each.id, each.name]) ?? []),
            }}
            onChoose={(value) => set({ by: value })}
          />
        )}
        <input
          type="search"
          autoComplete="off"
          aria-label="Plant ID"
          placeholder="Plant ID"
          value={id}
          onChange={({ currentTarget: { value } }) => set({ id: value.trim() })}
        />
        {Object.keys(filter).length > 0 && <a href={addressOf('activity')}>Clear filters</a>}
      </form>
      {log && <ActivityList log={log} groups={log.groups} filter={filter} tokens={tokens} />}
      {log?.count === 0 && !failure && (
        <div class="empty">
          <Icon of={Activity} />
          <h2>{texts.noChanges}</h2>
          <p>Changes appear here as they are made.</p>
        </div>
      )}
    </Page>
  );
}
