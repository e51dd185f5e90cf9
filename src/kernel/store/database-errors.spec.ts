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

describe('an internal error of Citus', () => {
  // Each is in the sources of Citus 13.2 without a code.
  test.for([
    'could not commit transaction for shard 102008 on at least one active node',
    "failed to prepare transaction 'citus_0_1_2_3' on host worker-1:5432",
    'failure on connection marked as essential: worker-1:5432',
    'connection to the remote node plant_store@worker-1:5432 failed with the following error: server closed',
    'SSL SYSCALL error: EOF detected',
    'postmaster was shut down, exiting',
    'execution cannot recover from multiple connection failures. Last node failed worker-1:5432',
    'unable to recover from inconsistent state in the connection state machine on coordinator',
    'could not connect to any active placements',
    'could not find an available connection',
    'cannot connect to worker-1:5432 to fetch intermediate results',
    'failed to read result "1_2" from node worker-1:5432',
    'there is a shard placement in node group 2 but there are no nodes in that group',
    'node group 2 does not have a primary node',
    'no active placements were found for shard 102008',
    'failed to assign 1 task(s) to worker nodes',
  ])('says that a node cannot be used: %s', (message) => {
    const cause = Object.assign(new Error(message), { severity: 'ERROR', code: 'XX000' });

    expect(isStoreUnavailable(new QueryFailedError('', [], cause))).toBe(true);
  });
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
