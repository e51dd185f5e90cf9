import { Signal } from '@preact/signals';
import { go, route } from '../ui/route.ts';

/** What can be asked of the list from anywhere in the console. */
export interface Commands {
  readonly search: () => void;
  readonly select: () => void;
  readonly add: () => void;
}

/** Those of the list on the screen. */
let list: Commands | undefined;

/** What was asked for before the list was there. */
let waiting: keyof Commands | undefined;

/** Lets the list obey, until the returned function is called. */
export function obey(commands: Commands): () => void {
  list = commands;
  if (waiting) commands[waiting]();
  waiting = undefined;
  return () => (list = undefined);
}

/** Asks the list for something, and goes there if it is not on the screen. */
export function command(name: keyof Commands): void {
  if (list) return list[name]();
  waiting = name;
  if (route.value.view !== 'plants') go('plants');
}

/** How often plants were changed by what is no dialog of the list: it reads them again. */
export const plantsChanged = new Signal(0);
