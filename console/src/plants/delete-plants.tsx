import { useState } from 'preact/hooks';
import { Refusal } from '../service/connection.ts';
import { createPlant, deletePlant, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/message.tsx';
import { changeEach } from './change-each.ts';
import { shortName } from './plant-table.tsx';

interface DeletePlantsProps {
  readonly plants: readonly StoredPlant[];
  readonly onEnd: (hasChanged: boolean) => void;
  readonly onUndone: () => void;
}

/** Deletes plants after asking once. For a while the deletion can be undone. */
export function DeletePlants({ plants, onEnd, onUndone }: DeletePlantsProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [first] = plants;
  const remove = async () => {
    setIsBusy(true);
    try {
      const { changed, skipped } = await changeEach(plants, ({ plant, entityTag }) =>
        deletePlant(plant.id, entityTag),
      );
      const done =
        changed.length === 1 && first
          ? texts.remove.done(shortName(first))
          : texts.remove.doneMany(changed.length);
      const text = [done, ...(skipped > 0 ? [texts.skipped(skipped)] : [])].join(' ');
      say(
        text,
        changed.length > 0
          ? { label: texts.remove.undo, run: () => void undo(changed, onUndone) }
          : undefined,
      );
      onEnd(true);
    } catch (error) {
      setProblem((error as Error).message);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={plants.length === 1 ? texts.remove.title : texts.remove.titleMany(plants.length)}
      onClose={() => onEnd(problem !== undefined)}
    >
      <ul class="names">
        {plants.slice(0, 10).map((plant) => (
          <li key={String(plant.id)}>
            <bdi>{shortName(plant)}</bdi>
          </li>
        ))}
        {plants.length > 10 && <li>…</li>}
      </ul>
      <p>{texts.remove.intro}</p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <footer>
        <button type="button" autoFocus onClick={() => onEnd(problem !== undefined)}>
          {texts.cancel}
        </button>
        <button type="button" class="danger primary" disabled={isBusy} onClick={() => void remove()}>
          {texts.remove.confirm}
        </button>
      </footer>
    </Dialog>
  );
}

/** Puts plants back; an id that somebody has taken meanwhile stays taken. */
async function undo(plants: readonly StoredPlant[], onUndone: () => void): Promise<void> {
  const outcomes = await Promise.allSettled(plants.map(createPlant));
  const failures = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  const other = failures.find(({ reason }) => !(reason instanceof Refusal && reason.status === 412));
  if (other !== undefined) say((other.reason as Error).message);
  else say(failures.length === 0 ? texts.remove.undone : texts.remove.notUndone(failures.length));
  onUndone();
}
