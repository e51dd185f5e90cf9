import { Signal } from '@preact/signals';
import { go } from '../ui/route.ts';
import type { PlantVersion, StoredPlant } from '../service/plants.ts';

/** What has been typed. A member that nobody touched is absent, and stays exactly what it is. */
export interface Draft {
  readonly id?: string;
  readonly name?: string;
  /** Empty for no tag. */
  readonly tag?: string;
}

/** What a form opens with. */
export interface Edit {
  /** The plant as the list shows it; undefined for a new one. */
  readonly plant?: StoredPlant | undefined;
  readonly draft?: Draft;
  /** The version that the draft changes; undefined for a new plant, and until it is read. */
  readonly base?: PlantVersion | undefined;
}

/** What can be asked of the list from anywhere in the console. */
export interface Commands {
  readonly search: () => void;
  readonly select: () => void;
  readonly open: (edit: Edit) => void;
}

/** Those of the list on the screen. */
let list: Commands | undefined;

/** What was asked for before the list was there. */
let waiting: ((list: Commands) => void) | undefined;

/** Lets the list obey, until the returned function is called. */
export function obey(commands: Commands): () => void {
  list = commands;
  waiting?.(commands);
  waiting = undefined;
  return () => (list = undefined);
}

/** Asks the list for something, and goes there if it is not on the screen. */
export function command(run: (list: Commands) => void): void {
  if (list) return run(list);
  waiting = run;
  go('plants');
}

/** How often plants were changed by what is no dialog of the list: it reads them again. */
export const plantsChanged = new Signal(0);
