import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { patched, type StoredPlant } from '../../service/plants.ts';
import { isolated, number, plantCount, texts } from '../../texts.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/messages/dialog.tsx';
import { toast, toastFailure, working } from '../../ui/messages/message.tsx';
import { plantsChanged } from '../commands.ts';
import { shortName } from '../plant-text.tsx';
import { MOST, runSteps, type Step } from './steps.ts';

const NAMED = 10;
const NAMED_IN_MESSAGE = 5;

/** The selected plants: some of the page, or all matches. */
export interface PlantSelection {
  readonly count: number;
  readonly some: readonly StoredPlant[];
  /** Reads the plants in batches. */
  readonly read: (signal: AbortSignal) => Iterable<StoredPlant[]> | AsyncIterable<StoredPlant[]>;
}

interface SelectionProps {
  readonly selection: PlantSelection;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Confirms and deletes plants. */
export function DeletePlants({ selection, onEnd }: SelectionProps) {
  const { run, progress, leave } = useChange(selection.count, onEnd);
  const told = ([first]: readonly Step[], count: number) =>
    `Deleted ${count === 1 && first?.from ? isolated(shortName(first.from)) : plantCount(count)}`;
  return (
    <FormDialog
      title={`Delete ${plantCount(selection.count)}?`}
      submit="Delete"
      isDangerous
      work={() =>
        run(
          stepsOf(selection, () => undefined),
          told,
          'Deletion undone',
        )
      }
      onLeave={leave}
    >
      <ul class="text">
        {selection.some.slice(0, NAMED).map((plant) => (
          <li key={String(plant.id)}>
            <bdi>{shortName(plant)}</bdi>
          </li>
        ))}
        {selection.count > Math.min(selection.some.length, NAMED) && <li>…</li>}
      </ul>
      <p>You can undo this, later in the activity.</p>
      {progress}
    </FormDialog>
  );
}

interface TagPlantsProps extends SelectionProps {
  /** The tag that all of them have. */
  readonly renamed?: string;
  /** The number of plants of each tag, if known. */
  readonly counts?: ReadonlyMap<string, number>;
}

/** Sets or removes the tag of plants, or renames the one that all of them have. */
export function TagPlants({ selection, renamed, counts, onEnd }: TagPlantsProps) {
  const { run, progress, leave } = useChange(selection.count, onEnd);
  const [typed, setTyped] = useState(renamed);
  const others = typed === undefined || typed === renamed ? undefined : counts?.get(typed);
  const set = (tag: string | null, told: (count: number) => string) =>
    run(
      stepsOf(selection, (plant) => patched(plant, { tag })),
      (_steps, count) => told(count),
      'Tags restored',
    );
  const work = async (form: FormData) => {
    const tag = form.get('tag') as string;
    if (tag === '') throw new Error('Enter a tag.');
    if (tag === renamed) throw new Error('Enter another name.');
    const from = renamed === undefined ? '' : ` instead of “${isolated(renamed)}”`;
    await set(tag, (count) => `Tagged ${plantCount(count)} “${isolated(tag)}”${from}`);
  };
  const other = {
    label: 'Remove tag',
    work: () => set(null, (count) => `Removed the tag of ${plantCount(count)}`),
  };
  return (
    <FormDialog
      title={
        renamed === undefined ? `Tag ${plantCount(selection.count)}` : `Rename the tag “${isolated(renamed)}”`
      }
      submit={renamed === undefined ? 'Set tag' : others === undefined ? 'Rename' : 'Merge'}
      blamed="tag"
      work={work}
      other={other}
      onLeave={leave}
    >
      <Field
        label={texts.tag}
        name="tag"
        list="tags"
        value={typed}
        hint={
          others === undefined
            ? undefined
            : `${plantCount(others)} have this tag already. “${isolated(renamed ?? '')}” becomes one with it.`
        }
        autoFocus
        onInput={setTyped}
      />
      {progress}
    </FormDialog>
  );
}

/** The changes of the selected plants, in batches. */
function stepsOf({ read }: PlantSelection, to: (plant: StoredPlant) => StoredPlant | undefined) {
  return async function* (signal: AbortSignal): AsyncGenerator<Step[]> {
    for await (const plants of read(signal)) yield plants.map((from) => ({ from, to: to(from) }));
  };
}

/** Changes the plants of a dialog, then reports the result with an undo. Leaving the dialog stops it. */
export function useChange(count: number, onEnd: (hasChanged: boolean) => void) {
  const controller = useRef(new AbortController());
  const [changed, setChanged] = useState<number>();
  useEffect(() => () => controller.current.abort(), []);
  const run = async (
    steps: (signal: AbortSignal) => AsyncIterable<Step[]>,
    told: (done: readonly Step[], count: number) => string,
    undone: string,
  ) => {
    const { signal } = controller.current;
    setChanged(0);
    const { done, skipped, failure } = await runSteps(steps(signal), {
      count,
      signal,
      onProgress: setChanged,
    });
    setChanged(undefined);
    if (failure && done.length === 0) throw failure;
    const hasDone = done.length > 0;
    const text = [
      signal.aborted && `Stopped: ${number(done.length)} of ${plantCount(count)}`,
      hasDone && told(done, done.length),
      skipped.length > 0 && `${texts.skipped(skipped.length)}: ${namesOf(skipped)}`,
      failure?.message,
    ]
      .filter(Boolean)
      .join('. ');
    if (hasDone) toast(text, { label: texts.undo, run: () => void undo(done, undone) });
    else if (text) toastFailure(text);
    onEnd(true);
  };
  const progress: ComponentChildren = changed !== undefined && count > 1 && (
    <label>
      {number(changed)} of {number(count)}
      <progress max={count} value={changed} />
    </label>
  );
  return { run, progress, leave: (hasFailed: boolean) => onEnd(hasFailed || changed !== undefined) };
}

/** Undoes a change, except for plants changed since and ids taken since. */
export async function undo(done: readonly Step[], undone: string): Promise<void> {
  const count = done.length;
  const show = (restored: number) => (working.value = { text: 'Undoing …', done: restored, count });
  if (count > MOST) show(0);
  const steps = [done.map(({ from, to }) => ({ from: to, to: from }))];
  const outcome = await runSteps(steps, { count, onProgress: (restored) => count > MOST && show(restored) });
  working.value = undefined;
  const restored = new Set(outcome.done.map(({ from, to }) => (from ?? to)?.id));
  const left = done.filter(({ from, to }) => !restored.has((from ?? to)?.id));
  const why = done[0]?.to ? `${texts.skipped(left.length)}.` : texts.notRestored(left.length);
  if (left.length > 0) toastFailure(`${outcome.failure?.message ?? why} Not restored: ${namesOf(left)}`);
  else toast(undone);
  plantsChanged.value += 1;
}

/** The names of the first plants, and how many more there are. */
function namesOf(steps: readonly Step[]): string {
  const plants = steps.slice(0, NAMED_IN_MESSAGE).map(({ from, to }) => (from ?? to) as StoredPlant);
  const names = plants.map((plant) => `${plant.id} “${isolated(shortName(plant))}”`).join(', ');
  const more = steps.length - plants.length;
  return more > 0 ? `${names} and ${number(more)} more` : names;
}
