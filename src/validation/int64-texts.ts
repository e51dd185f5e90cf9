import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Whether the messages of a request have each int64 as a string of its digits, for clients that read JSON's numbers as doubles.
 * Without a store, int64s are numbers.
 */
export const int64Texts = new AsyncLocalStorage<{
  /** The request may have strings as well as numbers. */
  readonly taken: boolean;
  /** The response has strings. */
  readonly sent: boolean;
}>();
