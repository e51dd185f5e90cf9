import { QueryFailedError } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { isStoreUnavailable } from './database-errors.js';

describe('an error of PostgreSQL whose outcome is unknown', () => {
  test.for([
    ['PANIC', 'XX000', true],
    ['FATAL', 'XX000', true],
    ['FATAL', '42501', true],
    ['ERROR', 'XX000', false],
    ['ERROR', '57014', true],
  ] as const)(
    'is one that ends the session or comes from outside: %s %s',
    ([severity, code, isUnavailable]) => {
      const message = 'cannot abort transaction 7, it was already committed';
      const error = new QueryFailedError('', [], Object.assign(new Error(message), { severity, code }));

      expect(isStoreUnavailable(error)).toBe(isUnavailable);
    },
  );
});
