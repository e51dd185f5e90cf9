import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { patched, type StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { FormDialog, Problem } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { say, sayFailure } from '../../ui/message.tsx';
import { plantsChanged } from '../commands.ts';
import { shortName } from '../plant-text.tsx';
import { runSteps, type Step, undoSteps } from './steps.ts';

/** How many are named. */
const NAMED = 10;

/** Plants that are to be changed: some of a page, or all that match. */
export interface ChosenPlants {
  readonly count: number;
  /** Some of them, to be named. */
  readonly some: readonly StoredPlant[];
  readonly read: (signal: AbortSignal) => Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
}

interface ChosenProps {
  readonly chosen: ChosenPlants;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Deletes plants after asking once. */
export function DeletePlants({ chosen, onEnd }: ChosenProps) {
  const { run, progress, leave } = useChange(chosen, onEnd);
  const told = ([first]: readonly Step[], count: number) =>
    count === 1 && first?.from ? texts.remove.done(shortName(first.from)) : texts.remove.doneMany(count);
  return (
    <FormDialog
      title={texts.remove.title(chosen.count)}
      submit={texts.plants.delete}
      isDangerous
      work={() => run(() => undefined, told, texts.remove.undone)}
      onLeave={leave}
    >
      {(problem) => (
        <>
          <ul class="names">
            {chosen.some.slice(0, NAMED).map((plant) => (
              <li key={String(plant.id)}>
                <bdi>{shortName(plant)}</bdi>
              </li>
            ))}
            {chosen.count > Math.min(chosen.some.length, NAMED) && <li>…</li>}
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
export function TagPlants({ chosen, onEnd }: ChosenProps) {
  const { run, progress, leave } = useChange(chosen, onEnd);
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
      title={title(chosen.count)}
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
function useChange(chosen: ChosenPlants, onEnd: (hasChanged: boolean) => void) {
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
      for await (const from of chosen.read(signal)) yield { from, to: to(from) };
    })();
    const { done, skipped, failure } = await runSteps(steps, signal, setChanged);
    setChanged(undefined);
    if (failure && done.length === 0) throw failure;
    const rest = [...(skipped > 0 ? [texts.skipped(skipped)] : []), ...(failure ? [failure.message] : [])];
    const text = [...(done.length > 0 ? [told(done, done.length)] : []), ...rest].join('. ');
    if (done.length > 0)
      say(text, { label: texts.remove.undo, isUrgent: true, run: () => void undo(done, undone) });
    else if (text) sayFailure(text);
    onEnd(true);
  };
  const progress: ComponentChildren = changed !== undefined && chosen.count > 1 && (
    <label class="progress">
      {texts.plants.changed(changed, chosen.count)}
      <progress max={chosen.count} value={changed} />
    </label>
  );
  return { run, progress, leave: (hasFailed: boolean) => onEnd(hasFailed || changed !== undefined) };
}

/** Undoes a change of plants that nobody has changed since; an id that somebody has taken meanwhile stays taken. */
async function undo(done: readonly Step[], undone: string): Promise<void> {
  const { skipped, failure } = await undoSteps(done);
  if (failure) sayFailure(failure.message);
  else if (skipped > 0) sayFailure(done[0]?.to ? texts.skipped(skipped) : texts.remove.notUndone(skipped));
  else say(undone);
  plantsChanged.value += 1;
}
