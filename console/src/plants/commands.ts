import { Signal } from '@preact/signals';
import type { PlantVersion, StoredPlant } from '../service/plants.ts';
import { go } from '../ui/route.ts';

/** What has been typed. A member that nobody touched is absent, and stays exactly what it is; an empty tag is none. */
export type Draft = Readonly<Partial<Record<'id' | 'name' | 'tag', string>>>;

/** What a form opens with. */
export interface Edit {
  /** The plant as the list shows it; undefined for a new one. */
  readonly plant?: StoredPlant | undefined;
  readonly draft?: Draft;
  /** The version that the draft changes; undefined for a new plant, and until it is read. */
  readonly base?: PlantVersion | undefined;
}

/** What can be asked of the list from anywhere in the console. */
interface Commands {
  readonly search: () => void;
  readonly select: () => void;
  readonly open: (edit: Edit) => void;
}

/** What the list has yet to do. */
export const asked = new Signal<((list: Commands) => void) | undefined>(undefined);

/** Asks the list for something, and goes there if it is not on the screen. */
export function command(run: (list: Commands) => void): void {
  asked.value = run;
  if (asked.peek()) go('plants');
}

/** How often plants were changed by what is no dialog of the list: it reads them again. */
export const plantsChanged = new Signal(0);
