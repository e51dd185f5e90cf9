import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { patched, type StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { FormDialog, Problem } from '../../ui/messages/dialog.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { toast, toastFailure } from '../../ui/messages/message.tsx';
import { plantsChanged } from '../commands.ts';
import { shortName } from '../plant-text.tsx';
import { runSteps, type Step, undoSteps } from './steps.ts';

/** How many are named. */
const NAMED = 10;

/** Plants that are to be changed: some of a page, or all that match. */
export interface PlantSelection {
  readonly count: number;
  /** Some of them, to be named. */
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
    count === 1 && first?.from ? texts.remove.done(shortName(first.from)) : texts.remove.doneMany(count);
  return (
    <FormDialog
      title={texts.remove.title(selection.count)}
      submit={texts.plants.delete}
      isDangerous
      work={() => run(() => undefined, told, texts.remove.undone)}
      onLeave={leave}
    >
      {(problem) => (
        <>
          <ul class="text">
            {selection.some.slice(0, NAMED).map((plant) => (
              <li key={String(plant.id)}>
                <bdi>{shortName(plant)}</bdi>
              </li>
            ))}
            {selection.count > Math.min(selection.some.length, NAMED) && <li>…</li>}
          </ul>
          <p>{texts.remove.intro}</p>
          <Problem text={problem} />
          {progress}
        </>
      )}
    </FormDialog>
  );
}

/** Gives several plants the same tag, or takes theirs away. */
export function TagPlants({ selection, onEnd }: SelectionProps) {
  const { run, progress, leave } = useChange(selection, onEnd);
  const [tag, setTag] = useState('');
  const { title, remove, removed, submit, done, none, undone } = texts.tagging;
  const set = async () => {
    if (tag === '') throw new Error(none);
    await run(
      (plant) => patched(plant, { tag }),
      (_steps, count) => done(count, tag),
      undone,
    );
  };
  const clear = () =>
    run(
      (plant) => patched(plant, { tag: null }),
      (_steps, count) => removed(count),
      undone,
    );
  return (
    <FormDialog
      title={title(selection.count)}
      submit={submit}
      work={set}
      other={{ label: remove, work: clear }}
      onLeave={leave}
    >
      {(problem) => (
        <>
          <Field
            label={texts.plants.tag}
            value={tag}
            list="tags"
            problem={problem}
            hasFocus
            onInput={setTag}
          />
          {progress}
        </>
      )}
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
      for await (const plants of selection.read(signal))
        yield* plants.map((from) => ({ from, to: to(from) }));
    })();
    const { done, skipped, failure } = await runSteps(steps, signal, setChanged);
    setChanged(undefined);
    if (failure && done.length === 0) throw failure;
    const rest = [...(skipped > 0 ? [texts.skipped(skipped)] : []), ...(failure ? [failure.message] : [])];
    const text = [...(done.length > 0 ? [told(done, done.length)] : []), ...rest].join('. ');
    if (done.length > 0)
      toast(text, { label: texts.remove.undo, isUrgent: true, run: () => void undo(done, undone) });
    else if (text) toastFailure(text);
    onEnd(true);
  };
  const progress: ComponentChildren = changed !== undefined && selection.count > 1 && (
    <label>
      {texts.plants.changed(changed, selection.count)}
      <progress max={selection.count} value={changed} />
    </label>
  );
  return { run, progress, leave: (hasFailed: boolean) => onEnd(hasFailed || changed !== undefined) };
}

/** Undoes a change of plants that nobody has changed since; an id that somebody has taken meanwhile stays taken. */
export async function undo(done: readonly Step[], undone: string): Promise<void> {
  const { skipped, failure } = await undoSteps(done);
  if (failure) toastFailure(failure.message);
  else if (skipped > 0) toastFailure(done[0]?.to ? texts.skipped(skipped) : texts.remove.notUndone(skipped));
  else toast(undone);
  plantsChanged.value += 1;
}
