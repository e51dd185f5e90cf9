import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PlantVersion, StoredPlant } from '../service/plants.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
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
export function ChangePlants({ plants, change, onDone, onEnd, ...form }: ChangePlantsProps) {
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const work = async () => {
    const { changed, rest } = await changeEach(plants, controller.current.signal, change);
    if (changed.length > 0) onDone(changed, rest);
    else if (rest !== '') say(rest);
    onEnd(true);
  };
  return <FormDialog {...form} work={work} onLeave={onEnd} />;
}
