import { Worker } from 'node:worker_threads';
import { DataSource } from 'typeorm';
import { describe, expect, test, vi } from 'vitest';
import type { Queries } from '../../src/kernel/store/queries.js';
import { Snapshots } from '../../src/kernel/store/scans/snapshots.js';
import { startService } from '../support/service.js';

async function count(queries: Queries): Promise<unknown> {
  return queries.query('SELECT count(*) AS count FROM plants');
}

describe('the database', () => {
  test('syncs every commit to disk, to a write-ahead log', async () => {
    const service = await startService();
    const dataSource = service.app.get(DataSource);

    expect(await dataSource.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await dataSource.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  });

  test.for([
    ['a fraction as an id', "INSERT INTO plants (id, name, tag) VALUES (1.5, 'Aloe', NULL)"],
    ['an id beyond int64', "INSERT INTO plants (id, name, tag) VALUES (9223372036854775808, 'Aloe', NULL)"],
    ['a missing name', 'INSERT INTO plants (id, name, tag) VALUES (1, NULL, NULL)'],
    ['a name that is no text', "INSERT INTO plants (id, name, tag) VALUES (1, x'00', NULL)"],
  ] as const)('itself refuses %s', async ([, statement]) => {
    const service = await startService();

    await expect(service.database.execute(statement)).rejects.toThrow(/constraint|cannot store|datatype/);
  });

  test('ends a snapshot with the thread that reads it, and reads the next one', async () => {
    const service = await startService();
    const snapshots = service.app.get(Snapshots);
    const post = vi.spyOn(Worker.prototype, 'postMessage');

    const broken = snapshots.readOnce(async (queries) => {
      await count(queries);
      const [worker] = post.mock.contexts as Worker[];
      await worker?.terminate();
      return count(queries);
    });

    await expect(broken).rejects.toMatchObject({ code: 'SQLITE_ABORT_ROLLBACK' });
    expect(await snapshots.readOnce(count)).toEqual([{ count: 0 }]);
    post.mockRestore();
  });

  test('has a schema that the migrations take back completely', async () => {
    const service = await startService({ CHANGES_KEPT: '0' });
    const dataSource = service.app.get(DataSource);

    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();

    expect(
      await dataSource.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
    ).toEqual([{ name: 'migrations' }, { name: 'sqlite_sequence' }]);
  });
});
