import { useState } from 'preact/hooks';
import { patchPlant, type StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../ui/message.tsx';
import { changeEach } from './change-each.ts';

interface TagPlantsProps {
  readonly plants: readonly StoredPlant[];
  readonly onEnd: (hasChanged: boolean) => void;
}

/** Gives several plants the same tag, or takes theirs away. */
export function TagPlants({ plants, onEnd }: TagPlantsProps) {
  const [tag, setTag] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    try {
      const { changed, skipped } = await changeEach(plants, ({ plant, entityTag }) =>
        patchPlant(plant.id, { tag: tag === '' ? null : tag }, entityTag),
      );
      const done = texts.tagging.done(changed.length);
      say(skipped > 0 ? `${done} ${texts.skipped(skipped)}` : done);
      onEnd(true);
    } catch (error) {
      setProblem((error as Error).message);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={texts.tagging.title(plants.length)} onClose={() => onEnd(problem !== undefined)}>
      <form onSubmit={(event) => void submit(event)}>
        <Field
          label={texts.plants.tag}
          value={tag}
          hint={texts.form.tagHint}
          problem={problem}
          hasFocus
          onInput={setTag}
        />
        <footer>
          <button type="button" onClick={() => onEnd(problem !== undefined)}>
            {texts.cancel}
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {texts.tagging.submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
