import { QueryFailedError } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../config/environment.js';
import { GroupCommit } from '../store/group-commit.js';
import { Impairment } from './impairment.js';

/** Why the service is impaired after a write that failed with this code so many milliseconds ago. */
async function reasonAfter(code: string, ageMs: number) {
  const commits = new GroupCommit(1);
  const cause = new QueryFailedError('INSERT', [], Object.assign(new Error(), { code }));
  commits.failure = { cause, at: performance.now() - ageMs };
  return new Impairment(commits, readSettings({ DATABASE_URL: 'postgres://localhost/plants' })).reason();
}

describe('a write that failed', () => {
  test.for([
    ['SQLITE_FULL', 'disk_full'],
    ['SQLITE_READONLY_DBMOVED', 'read_only'],
    ['SQLITE_IOERR_WRITE', 'write_error'],
    ['SQLITE_CANTOPEN', 'write_error'],
    ['SQLITE_BUSY', 'locked'],
    ['53100', 'disk_full'],
    ['25006', 'read_only'],
    ['58030', 'write_error'],
    ['57014', undefined],
    ['ECONNREFUSED', undefined],
  ] as const)('with %s impairs the service: %s', async ([code, reason]) => {
    expect(await reasonAfter(code, 0)).toBe(reason);
  });

  test('says nothing after a while in which nobody tried again', async () => {
    expect(await reasonAfter('SQLITE_FULL', 29_000)).toBe('disk_full');
    expect(await reasonAfter('SQLITE_FULL', 31_000)).toBeUndefined();
  });
});
