import { Refusal } from '../service/connection.ts';
import { createPlant, deletePlant, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Problem } from '../ui/form-dialog.tsx';
import { say } from '../ui/message.tsx';
import { ChangePlants } from './change-plants.tsx';
import { plantsChanged } from './plants-changed.ts';
import { shortName } from './plant-text.tsx';

/** How many are named. */
const NAMED = 10;

interface DeletePlantsProps {
  readonly plants: readonly StoredPlant[];
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Deletes plants after asking once. For a while the deletion can be undone. */
export function DeletePlants({ plants, onEnd }: DeletePlantsProps) {
  return (
    <ChangePlants
      title={texts.remove.title(plants.length)}
      submit={texts.plants.delete}
      isDangerous
      plants={plants}
      change={deletePlant}
      onDone={(changed, rest) => {
        const done =
          changed.length === 1 && changed[0]
            ? texts.remove.done(shortName(changed[0]))
            : texts.remove.doneMany(changed.length);
        say(`${done} ${rest}`, { label: texts.remove.undo, run: () => void undo(changed) });
      }}
      onEnd={onEnd}
    >
      {(problem) => (
        <>
          <ul class="names">
            {plants.slice(0, NAMED).map((plant) => (
              <li key={String(plant.id)}>
                <bdi>{shortName(plant)}</bdi>
              </li>
            ))}
            {plants.length > NAMED && <li>…</li>}
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
  const outcomes = await Promise.allSettled(plants.map((plant) => createPlant(plant)));
  const failures = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  const other = failures.find(({ reason }) => !(reason instanceof Refusal && reason.status === 412));
  if (other !== undefined) say((other.reason as Error).message);
  else say(failures.length === 0 ? texts.remove.undone : texts.remove.notUndone(failures.length));
  plantsChanged.value += 1;
}
