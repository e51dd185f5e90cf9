import { channel } from 'node:diagnostics_channel';

/** Tells the value of every Error that is answered to whoever counts them. */
export const answeredErrors = channel('plant-store.answered-errors');
