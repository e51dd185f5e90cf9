import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { patched, type StoredPlant } from '../../service/plants.ts';
import { isolated, number, plantCount, texts } from '../../texts.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/messages/dialog.tsx';
import { toast, toastFailure } from '../../ui/messages/message.tsx';
import { plantsChanged } from '../commands.ts';
import { shortName } from '../plant-text.tsx';
import { runSteps, type Step } from './steps.ts';

const NAMED = 10;

/** Plants that are to be changed: some of a page, or all that match. */
export interface PlantSelection {
  readonly count: number;
  readonly some: readonly StoredPlant[];
  /** Some at a time. */
  readonly read: (signal: AbortSignal) => Iterable<StoredPlant[]> | AsyncIterable<StoredPlant[]>;
}

interface SelectionProps {
  readonly selection: PlantSelection;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Deletes plants after asking once. */
export function DeletePlants({ selection, onEnd }: SelectionProps) {
  const { run, progress, leave } = useChange(selection, onEnd);
  const told = ([first]: readonly Step[], count: number) =>
    `Deleted ${count === 1 && first?.from ? isolated(shortName(first.from)) : plantCount(count)}`;
  return (
    <FormDialog
      title={`Delete ${plantCount(selection.count)}?`}
      submit="Delete"
      isDangerous
      work={() => run(() => undefined, told, 'Deletion undone')}
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
      <p>You can undo this for a few seconds.</p>
      {progress}
    </FormDialog>
  );
}

/** Gives several plants the same tag, or takes theirs away. */
export function TagPlants({ selection, onEnd }: SelectionProps) {
  const { run, progress, leave } = useChange(selection, onEnd);
  const set = (tag: string | null, told: (count: number) => string) =>
    run(
      (plant) => patched(plant, { tag }),
      (_steps, count) => told(count),
      'Tags restored',
    );
  const work = async (form: FormData) => {
    const tag = form.get('tag') as string;
    if (tag === '') throw new Error('Enter a tag.');
    await set(tag, (count) => `Tagged ${plantCount(count)} “${isolated(tag)}”`);
  };
  const other = {
    label: 'Remove tag',
    work: () => set(null, (count) => `Removed the tag of ${plantCount(count)}`),
  };
  return (
    <FormDialog
      title={`Tag ${plantCount(selection.count)}`}
      submit="Set tag"
      blamed="tag"
      work={work}
      other={other}
      onLeave={leave}
    >
      <Field label={texts.tag} name="tag" list="tags" autoFocus />
      {progress}
    </FormDialog>
  );
}

/** Changes the plants of a dialog, and says what was done, with an undo. To leave meanwhile stops it. */
function useChange(selection: PlantSelection, onEnd: (hasChanged: boolean) => void) {
  const controller = useRef(new AbortController());
  const [changed, setChanged] = useState<number>();
  useEffect(() => () => controller.current.abort(), []);
  const run = async (
    to: (plant: StoredPlant) => StoredPlant | undefined,
    told: (done: readonly Step[], count: number) => string,
    undone: string,
  ) => {
    const { signal } = controller.current;
    setChanged(0);
    const steps = (async function* () {
      for await (const plants of selection.read(signal)) yield plants.map((from) => ({ from, to: to(from) }));
    })();
    const { done, skipped, failure } = await runSteps(steps, signal, setChanged);
    setChanged(undefined);
    if (failure && done.length === 0) throw failure;
    const hasDone = done.length > 0;
    const text = [hasDone && told(done, done.length), skipped > 0 && texts.skipped(skipped), failure?.message]
      .filter(Boolean)
      .join('. ');
    if (hasDone) toast(text, { label: texts.undo, isUrgent: true, run: () => void undo(done, undone) });
    else if (text) toastFailure(text);
    onEnd(true);
  };
  const progress: ComponentChildren = changed !== undefined && selection.count > 1 && (
    <label>
      {number(changed)} of {number(selection.count)}
      <progress max={selection.count} value={changed} />
    </label>
  );
  return { run, progress, leave: (hasFailed: boolean) => onEnd(hasFailed || changed !== undefined) };
}

/** Undoes a change of plants that nobody has changed since; an id that somebody has taken meanwhile stays taken. */
export async function undo(done: readonly Step[], undone: string): Promise<void> {
  const { skipped, failure } = await runSteps([done.map(({ from, to }) => ({ from: to, to: from }))]);
  const told = done[0]?.to ? texts.skipped(skipped) : texts.notRestored(skipped);
  if (failure || skipped > 0) toastFailure(failure?.message ?? told);
  else toast(undone);
  plantsChanged.value += 1;
}
