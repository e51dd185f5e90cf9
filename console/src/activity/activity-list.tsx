import { useState } from 'preact/hooks';
import { writeJson } from '../exact-json.ts';
import { plantsChanged } from '../plants/commands.ts';
import { undo } from '../plants/change/change-plants.tsx';
import { runSteps } from '../plants/change/steps.ts';
import { PlantText, shortName, startOf } from '../plants/plant-text.tsx';
import { isSame, type StoredPlant } from '../service/plants.ts';
import { session } from '../service/session.ts';
import { access, type AccessToken, listTokens, may } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Ago } from '../ui/ago.tsx';
import { textOf } from '../ui/controls/field.tsx';
import {
  ActivityIcon,
  ChangedIcon,
  ChevronRightIcon,
  CreatedIcon,
  DeletedIcon,
  Icon,
  UndoIcon,
} from '../ui/icons.tsx';
import { toast, toastFailure } from '../ui/messages/message.tsx';
import { LoadFailure } from '../ui/messages/notice.tsx';
import { addressOf } from '../ui/route.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import styles from './activity.module.css';
import type { ActivityLog, Entry, Group } from './activity-log.ts';
import { useActivity } from './use-activity.ts';

/** Characters of a field that are shown. */
const SHOWN = 100;

/** A group of at most this many changes is open. */
const OPEN = 5;

const ICONS = { created: CreatedIcon, changed: ChangedIcon, deleted: DeletedIcon, several: ActivityIcon };

interface ActivityListProps {
  readonly log: ActivityLog;
  readonly groups: readonly Group[];
  /** Those whose names are known. */
  readonly tokens: readonly AccessToken[] | undefined;
}

/** What was done by day, minute and who did it; newest first. */
export function ActivityList({ log, groups, tokens }: ActivityListProps) {
  const days = Map.groupBy(groups, ({ at }) => new Date(at).toDateString());
  return [...days].map(([day, all]) => (
    <section key={day} class={styles['day']}>
      <h2>{texts.activity.day(new Date(day))}</h2>
      <ul class={`panel ${styles['list']}`}>
        {all.map((group) => (
          <GroupItem key={group.key} group={group} log={log} who={whoIs(group.by, tokens)} />
        ))}
      </ul>
    </section>
  ));
}

/** What was done to a plant, newest first. */
export function PlantHistory({ id }: { readonly id: bigint }) {
  const activity = useActivity({ id: String(id) });
  const tokens = useLoaded(async (signal) => (may('admin') ? listTokens(signal) : []), [session.value]);
  if (activity.failure) return <LoadFailure of={activity} />;
  if (!activity.count) return <p class="soft">{activity.log ? texts.form.noHistory : texts.loading}</p>;
  return (
    <ul class={styles['list']}>
      {activity.log?.groups.map(({ by, entries }) =>
        entries.map((entry) => (
          <EntryItem key={entry.change.cursor} entry={entry} who={whoIs(by, tokens.value)} />
        )),
      )}
    </ul>
  );
}

interface GroupItemProps {
  readonly group: Group;
  readonly log: ActivityLog;
  readonly who: string;
}

function GroupItem({ group: { at, counts, isCut, entries }, log, who }: GroupItemProps) {
  const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
  // As it was at first: a group that grows is not folded under the eyes of the user.
  const [isOpen] = useState(count <= OPEN);
  const [first] = entries;
  if (first && count === 1 && !isCut) return <EntryItem entry={first} log={log} who={who} />;
  return (
    <li>
      <details open={isOpen}>
        <summary class={styles['row']}>
          <Mark kind={Object.keys(counts).length === 1 ? first?.change.kind : 'several'} />
          <p>
            <strong dir="auto">{who}</strong> {texts.activity.counts(counts, isCut)}{' '}
            <Icon of={ChevronRightIcon} />
          </p>
          <Ago at={at} />
        </summary>
        <ul>
          {entries.map((entry) => (
            <EntryItem key={entry.change.cursor} entry={entry} log={log} />
          ))}
          {count > entries.length && (
            <li class={styles['row']}>
              <small>{texts.activity.more(count - entries.length)}</small>
            </li>
          )}
        </ul>
      </details>
    </li>
  );
}

interface EntryItemProps {
  readonly entry: Entry;
  /** Who has done it, if nothing above says so. */
  readonly who?: string;
  /** Tells what has become of the plant; undefined where its form is open. */
  readonly log?: ActivityLog;
}

function EntryItem({ entry: { change, before }, who, log }: EntryItemProps) {
  const { kind, plant, at } = change;
  const now = log?.plantNow(plant.id);
  const isRestorable = log && before && may('plants:write') && !(now && isSame(now, before));
  return (
    <li class={styles['row']}>
      <Mark kind={kind} />
      <p>
        {who && (
          <>
            <strong dir="auto">{who}</strong> {texts.activity.kinds[kind]}{' '}
          </>
        )}
        {log && <a href={addressOf('activity', { id: String(plant.id) })}>{String(plant.id)}</a>}{' '}
        <PlantText text={plant.name} ifEmpty={texts.plants.unnamed} />{' '}
        {plant.tag !== undefined && (
          <span class="tag">
            <PlantText text={plant.tag} ifEmpty={texts.plants.emptyTag} />
          </span>
        )}
        {kind === 'changed' && before && <Differences before={{ ...before }} after={{ ...plant }} />}
      </p>
      {isRestorable && (
        <button
          type="button"
          class="quiet"
          aria-label={texts.activity.restoreOne(shortName(before))}
          onClick={() => void restore(now, before)}
        >
          <Icon of={UndoIcon} /> {texts.activity.restore}
        </button>
      )}
      <Ago at={at} />
    </li>
  );
}

function Mark({ kind = 'several' }: { readonly kind?: keyof typeof ICONS | undefined }) {
  return (
    <span class={`${styles['mark']} ${styles[kind]}`}>
      <Icon of={ICONS[kind]} />
    </span>
  );
}

interface DifferencesProps {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** The fields that a change has changed. */
function Differences({ before, after }: DifferencesProps) {
  const show = (value: unknown) => startOf(textOf(value ?? '–'), SHOWN);
  return Object.keys({ ...before, ...after })
    .filter((field) => writeJson(before[field]) !== writeJson(after[field]))
    .map((field) => (
      <span key={field} class={styles['difference']}>
        <small>{field}</small> <del dir="auto">{show(before[field])}</del> →{' '}
        <ins dir="auto">{show(after[field])}</ins>
      </span>
    ));
}

/** What a caller is called: the service says who it was only to `admin`. */
function whoIs(by: string | undefined, tokens: ActivityListProps['tokens']): string {
  const { someone, you, unknown } = texts.activity;
  if (by === undefined) return may('admin') ? unknown : someone;
  if (by === access.value?.id) return you;
  return tokens?.find(({ id }) => id === by)?.name ?? by.replace(/^oidc:/, '');
}

/** Makes a plant what it was, if it is still what is shown. */
async function restore(from: StoredPlant | undefined, to: StoredPlant): Promise<void> {
  const { done, failure } = await runSteps([{ from, to }]);
  const { restored, undone } = texts.activity;
  if (done.length > 0)
    toast(restored(shortName(to)), { label: texts.remove.undo, run: () => void undo(done, undone) });
  else toastFailure(failure?.message ?? (from ? texts.skipped(1) : texts.remove.notUndone(1)));
  plantsChanged.value += 1;
}
