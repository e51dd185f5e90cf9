import { Signal } from '@preact/signals';
import type { PlantVersion, StoredPlant } from '../service/plants.ts';
import { go } from '../ui/route.ts';

/** The edited fields. Untouched fields are absent and stay unchanged; an empty tag removes it. */
export type Draft = Readonly<Partial<Record<'id' | 'name' | 'tag', string>>>;

/** The initial state of a form. */
export interface Edit {
  /** The plant from the list; undefined for a new one. */
  readonly plant?: StoredPlant | undefined;
  readonly draft?: Draft;
  /** The version that the draft changes; undefined for a new plant and until it is loaded. */
  readonly base?: PlantVersion | undefined;
}

/** Actions of the plant list that any view can start. */
interface Commands {
  readonly search: () => void;
  readonly select: () => void;
  readonly open: (edit: Edit) => void;
}

/** The next action for the list. */
export const pendingCommand = new Signal<((list: Commands) => void) | undefined>(undefined);

/** Runs an action on the list, opening it first if necessary. */
export function command(run: (list: Commands) => void): void {
  pendingCommand.value = run;
  if (pendingCommand.peek()) go('plants');
}

const KEY = 'plant-store-keys';

/** Single keys can be switched off, because speech input may press them by accident (WCAG 2.1.4). */
export const hasKeys = new Signal(localStorage.getItem(KEY) !== 'off');

hasKeys.subscribe((isOn) => localStorage.setItem(KEY, isOn ? 'on' : 'off'));

/** Incremented when plants change outside the list's dialogs; the list then reloads. */
export const plantsChanged = new Signal(0);
