import { useRef } from 'preact/hooks';
import { parseJson } from '../exact-json.ts';
import { useChange } from '../plants/change/change-plants.tsx';
import type { Step } from '../plants/change/steps.ts';
import { plantsChanged } from '../plants/commands.ts';
import { type Change, changeLines } from '../service/changes.ts';
import { isSame, type StoredPlant } from '../service/plants.ts';
import { isolated, number, plantCount, plural } from '../texts.ts';
import { FormDialog } from '../ui/messages/dialog.tsx';
import type { Group } from './activity-log.ts';
import type { Filter } from './use-activity.ts';

const MINUTE_MS = 60_000;

/** A plant before and after the changes of a group. */
interface Ends {
  readonly first: Change;
  before: StoredPlant | undefined;
  after: StoredPlant | undefined;
}

interface UndoGroupProps {
  readonly group: Group;
  /** The filter of the view, whose time does not matter. */
  readonly filter: Filter;
  readonly count: number;
  readonly who: string;
  readonly onEnd: () => void;
}

/** Undoes all changes of a group, however long ago they were. */
export function UndoGroup({ group, filter, count, who, onEnd }: UndoGroupProps) {
  const { run, progress, leave } = useChange(count, () => {
    plantsChanged.value += 1;
    onEnd();
  });
  const lost = useRef(0);
  const forgotten = () =>
    lost.current > 0 ? `, except ${number(lost.current)} whose past is no longer kept` : '';
  return (
    <FormDialog
      title={`Undo ${plural(count, 'change')} by ${isolated(who)}?`}
      submit="Undo all"
      work={() =>
        run(
          (signal) => stepsBack(group, filter, signal, lost),
          (_steps, done) => `Undid the changes of ${plantCount(done)}${forgotten()}`,
          'Changes restored',
        )
      }
      onLeave={leave}
    >
      <p>A name or tag that was changed again since then stays; the rest goes back.</p>
      {progress}
    </FormDialog>
  );
}

/** The changes that restore each plant of a group. @throws Error if no earlier version is kept. */
async function* stepsBack(
  group: Group,
  filter: Filter,
  signal: AbortSignal,
  lost: { current: number },
): AsyncGenerator<Step[]> {
  const plants = new Map<bigint, Ends>();
  const minute = new Date(group.at).setSeconds(0, 0);
  const since = new Date(minute).toISOString();
  for await (const lines of changeLines({ ...filter, since }, signal)) {
    const changes = lines.map((line) => parseJson(line) as Change);
    for (const change of changes.filter(
      ({ at, by }) => Date.parse(at) < minute + MINUTE_MS && by === group.by,
    )) {
      const ends = plants.get(change.plant.id) ?? { first: change, before: undefined, after: undefined };
      ends.after = change.kind === 'deleted' ? undefined : change.plant;
      if (ends.first === change && change.kind === 'deleted') ends.before = change.plant;
      plants.set(change.plant.id, ends);
    }
    if (changes.some(({ at }) => Date.parse(at) >= minute + MINUTE_MS)) break;
  }
  await readBefore(plants, signal);
  const known = [...plants.values()].filter(({ first, before }) => first.kind !== 'changed' || before);
  lost.current = plants.size - known.length;
  if (known.length === 0) throw new Error('The service no longer knows what these plants were.');
  yield known
    .filter(({ before, after }) => (before && after ? !isSame(before, after) : before !== after))
    .map(({ before, after }) => ({ from: after, to: before }));
}

/** Finds the plants before their change, in earlier changes. */
async function readBefore(plants: ReadonlyMap<bigint, Ends>, signal: AbortSignal): Promise<void> {
  const changed = [...plants.values()].filter(({ first }) => first.kind === 'changed');
  const last = changed.reduce((most, { first: { cursor } }) => (cursor > most ? cursor : most), 0n);
  if (changed.length === 0) return;
  for await (const lines of changeLines({ after: '0' }, signal)) {
    for (const line of lines) {
      // Parsing is slow, and most lines are about other plants.
      const ends = plants.get(BigInt(/"plant":\{"id":(-?\d+)/.exec(line)?.[1] ?? 0));
      if (ends?.first.kind !== 'changed') continue;
      const { cursor, kind, plant } = parseJson(line) as Change;
      if (cursor < ends.first.cursor) ends.before = kind === 'deleted' ? undefined : plant;
    }
    const { cursor } = parseJson(lines.at(-1) ?? '{}') as Partial<Change>;
    if (cursor !== undefined && cursor >= last) return;
  }
}
