import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlantVersion, StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/message.tsx';
import { changeEach } from './change-each.ts';

interface ChangePlantsProps {
  readonly title: string;
  readonly submit: string;
  readonly isDangerous?: boolean;
  readonly plants: readonly StoredPlant[];
  readonly change: (version: PlantVersion) => Promise<unknown>;
  /** Says what has been done; `rest` is what became of the others. */
  readonly onDone: (changed: readonly StoredPlant[], rest: string) => void;
  readonly onEnd: (hasChanged: boolean) => void;
  readonly children: (problem: string | undefined) => ComponentChildren;
}

/** Asks about a change of several plants, and makes it. To leave meanwhile stops it. */
export function ChangePlants({
  title,
  submit,
  isDangerous = false,
  plants,
  change,
  onDone,
  onEnd,
  children,
}: ChangePlantsProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const start = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const { changed, rest } = await changeEach(plants, controller.current.signal, change);
      if (changed.length > 0) onDone(changed, rest);
      else if (rest !== '') say(rest);
      onEnd(true);
    } catch (error) {
      setProblem((error as Error).message);
      setIsBusy(false);
    }
  };
  const leave = () => onEnd(problem !== undefined);
  return (
    <Dialog title={title} onClose={leave}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void start();
        }}
      >
        {children(problem)}
        <footer>
          <button type="button" autoFocus={isDangerous} onClick={leave}>
            {texts.cancel}
          </button>
          <Button type="submit" class={isDangerous ? 'danger primary' : 'primary'} isOff={isBusy}>
            {submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
