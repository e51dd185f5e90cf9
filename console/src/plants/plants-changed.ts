import { Observable } from '../ui/observable.ts';

/** How often plants were changed by what is no dialog of the list: it reads them again. */
export const plantsChanged = new Observable(0);
