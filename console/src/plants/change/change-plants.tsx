import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../../service/connection.ts';
import {
  createPlant,
  deletePlant,
  patchPlant,
  type PlantVersion,
  type StoredPlant,
} from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { FormDialog, Problem } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { say, sayFailure } from '../../ui/message.tsx';
import { shortName } from '../plant-text.tsx';
import { plantsChanged } from '../wish.ts';
import { type ChosenPlants, changeEach, workThrough } from './change-each.ts';

/** How many are named. */
const NAMED = 10;

interface ChosenProps {
  readonly chosen: ChosenPlants;
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Deletes plants after asking once. For a while the deletion can be undone. */
export function DeletePlants({ chosen, onEnd }: ChosenProps) {
  return (
    <ChangePlants
      title={texts.remove.title(chosen.count)}
      submit={texts.plants.delete}
      isDangerous
      chosen={chosen}
      change={deletePlant}
      onDone={(changed, rest) => {
        const [first] = changed;
        const isOne = changed.length === 1 && first;
        const done = isOne ? texts.remove.done(shortName(first)) : texts.remove.doneMany(changed.length);
        const run = () => void undo(changed);
        say([done, ...rest].join('. '), { label: texts.remove.undo, isUrgent: true, run });
      }}
      onEnd={onEnd}
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
        </>
      )}
    </ChangePlants>
  );
}

/** Puts plants back; an id that somebody has taken meanwhile stays taken. */
async function undo(plants: readonly StoredPlant[]): Promise<void> {
  let taken = 0;
  const failure = await workThrough(plants, new AbortController().signal, async (plant) => {
    try {
      await createPlant(plant);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 412) throw error;
      taken += 1;
    }
  });
  if (failure) sayFailure(failure.message);
  else if (taken > 0) sayFailure(texts.remove.notUndone(taken));
  else say(texts.remove.undone);
  plantsChanged.value += 1;
}

/** Gives several plants the same tag, or takes theirs away. */
export function TagPlants({ chosen, onEnd }: ChosenProps) {
  const [tag, setTag] = useState('');
  const { title, remove, removed, submit, done } = texts.tagging;
  return (
    <ChangePlants
      title={title(chosen.count)}
      submit={tag === '' ? remove : submit}
      chosen={chosen}
      change={async (version) => patchPlant(version, { tag: tag === '' ? null : tag })}
      onDone={({ length }, rest) =>
        say([tag === '' ? removed(length) : done(length, tag), ...rest].join('. '))
      }
      onEnd={onEnd}
    >
      {(problem) => (
        <Field
          label={texts.plants.tag}
          value={tag}
          hint={texts.form.tagHint}
          problem={problem}
          hasFocus
          onInput={setTag}
        />
      )}
    </ChangePlants>
  );
}

interface ChangePlantsProps extends ChosenProps {
  readonly title: string;
  readonly submit: string;
  readonly isDangerous?: boolean;
  readonly change: (version: PlantVersion) => Promise<unknown>;
  /** Says what has been done; `rest` is what became of the others. */
  readonly onDone: (changed: readonly StoredPlant[], rest: readonly string[]) => void;
  readonly children: (problem: string | undefined) => ComponentChildren;
}

/** Asks about a change of several plants, and makes it. To leave meanwhile stops it. */
function ChangePlants({ chosen, change, onDone, onEnd, children, ...form }: ChangePlantsProps) {
  const controller = useRef(new AbortController());
  const [done, setDone] = useState<number>();
  useEffect(() => () => controller.current.abort(), []);
  const work = async () => {
    setDone(0);
    const { signal } = controller.current;
    const { changed, rest } = await changeEach(chosen, signal, change, setDone).finally(() =>
      setDone(undefined),
    );
    if (changed.length > 0) onDone(changed, rest);
    else if (rest.length > 0) sayFailure(rest.join(' '));
    onEnd(true);
  };
  return (
    <FormDialog {...form} work={work} onLeave={(hasFailed) => onEnd(hasFailed || done !== undefined)}>
      {(problem) => (
        <>
          {children(problem)}
          {done !== undefined && chosen.count > 1 && (
            <label class="progress">
              {texts.plants.changed(done, chosen.count)}
              <progress max={chosen.count} value={done} />
            </label>
          )}
        </>
      )}
    </FormDialog>
  );
}
