import { Signal } from '@preact/signals';

/** Where the list is to put the focus, or what to open, as soon as it is there: for a key that was pressed anywhere. */
export const wish = new Signal<'search' | 'head' | 'add' | undefined>(undefined);

/** How often plants were changed by what is no dialog of the list: it reads them again. */
export const plantsChanged = new Signal(0);
