import { QueryFailedError } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { isStoreUnavailable, violationOf } from './database-errors.js';

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

describe('a duplicate of PostgreSQL', () => {
  test.for([
    ['plants_pkey', 'key'],
    ['plants_pkey_102014', 'key'],
    ['plants_name_key', 'unique'],
    ['plants_pkey_of_names', 'unique'],
  ] as const)(
    'is one of the key or not, with and without the name of the constraint: %s',
    ([name, violation]) => {
      const message = `duplicate key value violates unique constraint "${name}"`;
      for (const constraint of [name, undefined]) {
        const cause = Object.assign(new Error(message), { code: '23505', constraint });

        expect(violationOf(new QueryFailedError('', [], cause))).toBe(violation);
      }
    },
  );
});
