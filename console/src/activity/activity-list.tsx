import { Activity, ChevronRight, Pencil, Plus, RotateCcw, Trash2, Undo2 } from '../ui/icons.js';
import { useState } from 'preact/hooks';
import type { Token } from '../../../clients/typescript/src/contract.ts';
import { undo } from '../plants/change/change-plants.tsx';
import { runSteps } from '../plants/change/steps.ts';
import { plantsChanged } from '../plants/commands.ts';
import { PlantTag, PlantText, shortName, startOf } from '../plants/plant-text.tsx';
import { differencesOf, isSame, type StoredPlant } from '../service/plants.ts';
import { session } from '../service/session.ts';
import { access, listTokens, may, seesOthers } from '../service/tokens.ts';
import { isolated, number, plantCount, plural, texts } from '../texts.ts';
import { Ago } from '../ui/time.tsx';
import { Button, Icon } from '../ui/button.tsx';
import { textOf } from '../ui/field.tsx';
import { LoadFailure, toast, toastFailure } from '../ui/messages/message.tsx';
import { addressOf } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import type { ActivityLog, Entry, Group } from './activity-log.ts';
import styles from './activity.module.css';
import { UndoGroup } from './undo-group.tsx';
import { type Filter, useActivity } from './use-activity.ts';

const SHOWN = 100;

const MARKS = {
  created: [Plus, 'good'],
  changed: [Pencil, 'fair'],
  deleted: [Trash2, 'bad'],
  several: [Activity, 'neutral'],
} as const;

interface ActivityListProps {
  readonly log: ActivityLog;
  readonly groups: readonly Group[];
  /** What the log is limited to. */
  readonly filter?: Filter;
  readonly tokens: readonly Token[] | undefined;
}

/** What was done by day, minute and who did it, newest first; each change on its own if all are of one plant. */
export function ActivityList({ log, groups, filter = {}, tokens }: ActivityListProps) {
  const days = Map.groupBy(groups, ({ at }) => new Date(at).toDateString());
  return [...days].map(([day, all]) => (
    <section key={day} class={styles['day']}>
      <h2>{nameOf(new Date(day))}</h2>
      <ul class="panel list">
        {filter.id === undefined ? (
          all.map((group) => (
            <GroupItem
              key={group.key}
              group={group}
              log={log}
              filter={filter}
              who={whoIs(group.by, tokens)}
            />
          ))
        ) : (
          <EntryItems groups={all} log={log} tokens={tokens} />
        )}
      </ul>
    </section>
  ));
}

function nameOf(day: Date): string {
  const ago = Math.round((new Date().setHours(0, 0, 0, 0) - day.getTime()) / 86_400_000);
  if (ago < 2) return ago < 1 ? 'Today' : 'Yesterday';
  return day.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long' });
}

/** The tokens, if the user has `admin`. */
export function useTokens(): readonly Token[] | undefined {
  return useLoaded(async (signal) => (seesOthers() ? listTokens(signal) : []), [session.value]).value;
}

/** The changes of a plant, newest first. */
export function PlantHistory({ id }: { readonly id: bigint }) {
  const { log, ...state } = useActivity({ id: String(id) });
  const tokens = useTokens();
  if (state.failure) return <LoadFailure of={state} />;
  if (!log?.count) return <p class="soft">{log ? 'No changes kept' : texts.loading}</p>;
  return (
    <ul class="list">
      <EntryItems groups={log.groups} tokens={tokens} />
    </ul>
  );
}

/** The changes of groups in their order, which groups of the same minute share. */
function EntryItems({
  groups,
  log,
  tokens,
}: Pick<ActivityListProps, 'groups' | 'tokens'> & { log?: ActivityLog }) {
  return groups
    .flatMap(({ entries }) => entries)
    .toSorted((one, other) => Number(other.change.cursor - one.change.cursor))
    .map((entry) => (
      <EntryItem key={entry.change.cursor} entry={entry} who={whoIs(entry.change.by, tokens)} log={log} />
    ));
}

interface GroupItemProps extends Required<Pick<ActivityListProps, 'log' | 'filter'>> {
  readonly group: Group;
  readonly who: string;
}

function GroupItem({ group, log, filter, who }: GroupItemProps) {
  const { at, counts, isCut, commonTag, entries } = group;
  const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const [isUndoing, setIsUndoing] = useState(false);
  const [first] = entries;
  if (first && count === 1 && !isCut) return <EntryItem entry={first} log={log} who={who} />;
  const summaries = Object.entries(counts).map(
    ([kind, each]) => `${kind} ${isCut ? 'at least ' : ''}${plantCount(each)}`,
  );
  return (
    <li>
      <details>
        <summary class={`line ${styles['row']}`}>
          <Mark kind={summaries.length === 1 ? first?.change.kind : 'several'} />
          <p>
            <strong dir="auto">{who}</strong> {summaries.join(', ')} <Icon of={ChevronRight} />
            {commonTag !== undefined && (
              <span class={styles['difference']}>
                <small>tag</small> → {commonTag === null ? 'none' : <PlantTag of={{ tag: commonTag }} />}
              </span>
            )}
          </p>
          <Ago at={at} />
        </summary>
        <ul>
          {!isCut && may('plants:write') && (
            <li class="line">
              <Button icon={Undo2} class="quiet" onClick={() => setIsUndoing(true)}>
                {`Undo all ${number(count)}`}
              </Button>
            </li>
          )}
          {entries.map((entry) => (
            <EntryItem key={entry.change.cursor} entry={entry} log={log} />
          ))}
          {count > entries.length && (
            <li class="line">
              <small>and {plural(count - entries.length, 'earlier change')}</small>
            </li>
          )}
        </ul>
      </details>
      {isUndoing && <UndoGroup {...{ group, filter, count, who }} onEnd={() => setIsUndoing(false)} />}
    </li>
  );
}

interface EntryItemProps {
  readonly entry: Entry;
  readonly who?: string;
  /** The current plants; undefined inside a form, which offers no restore. */
  readonly log?: ActivityLog | undefined;
}

function EntryItem({ entry: { change, before }, who, log }: EntryItemProps) {
  const { kind, plant, at } = change;
  const now = log?.plantNow(plant.id);
  const isRestorable = log && before && may('plants:write') && !(now && isSame(now, before));
  return (
    <li class={`line ${styles['row']}`}>
      <Mark kind={kind} />
      <p>
        {who && <strong dir="auto">{who}</strong>} {kind}{' '}
        {log && <a href={addressOf('activity', { id: String(plant.id) })}>{String(plant.id)}</a>}{' '}
        <PlantText text={plant.name} /> <PlantTag of={plant} />
        {kind === 'changed' &&
          before &&
          differencesOf(before, plant).map(({ name, ...values }) => (
            <span key={name} class={styles['difference']}>
              <small>{name}</small> <del dir="auto">{startOfField(values.before)}</del> →{' '}
              <ins dir="auto">{startOfField(values.after)}</ins>
            </span>
          ))}
      </p>
      {isRestorable && (
        <Button
          icon={RotateCcw}
          label="Restore"
          class="quiet"
          aria-label={`Restore ${isolated(shortName(before))}`}
          onClick={() => void restore(now, before)}
        />
      )}
      <Ago at={at} />
    </li>
  );
}

function Mark({ kind = 'several' }: { readonly kind?: keyof typeof MARKS | undefined }) {
  const [icon, look] = MARKS[kind];
  return (
    <span class={`${styles['mark']} ${look}`}>
      <Icon of={icon} />
    </span>
  );
}

function startOfField(value: unknown): string {
  return startOf(textOf(value ?? '–'), SHOWN);
}

/** The name of a caller. Without `tokens:read`, callers see only themselves. */
export function whoIs(by: string | undefined, tokens: ActivityListProps['tokens']): string {
  if (by === undefined) return seesOthers() ? 'Unknown' : 'Someone';
  if (by === access.value?.id) return 'You';
  return tokens?.find(({ id }) => id === by)?.name ?? by.replace(/^oidc:/, '');
}

/** Restores a plant if it is still as shown. */
async function restore(from: StoredPlant | undefined, to: StoredPlant): Promise<void> {
  const { done, failure } = await runSteps([[{ from, to }]]);
  const run = () => void undo(done, 'Restored plant reverted');
  if (done.length > 0) toast(`Restored ${isolated(shortName(to))}`, { label: texts.undo, run });
  else toastFailure(failure?.message ?? (from ? `${texts.skipped(1)}.` : texts.notRestored(1)));
  plantsChanged.value += 1;
}
