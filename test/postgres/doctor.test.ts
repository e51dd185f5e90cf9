import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptyDatabase } from '../support/database.js';
import { numberedLines } from '../support/plants.js';
import { freePort, query } from '../support/postgres-server.js';

describe('plant-store doctor on PostgreSQL', () => {
  test('tells the version, the encoding, and what is not synced', async () => {
    const { stdout } = await plantStore(await emptyDatabase(), ['doctor']);

    expect(stdout).toMatch(
      /^ok +database +PostgreSQL at 127\.0\.0\.1:\d+\/\w+ has version \d+\.\d+ and the encoding UTF8\.$/m,
    );
    expect(stdout).toMatch(/^warning +durability +PostgreSQL runs without fsync, full_page_writes: /m);
    expect(stdout).toMatch(/^warning +schema +Migrations are pending: .*CreatePlants/m);
    expect(stdout).not.toContain('secret');
  });

  test('makes no tables', async () => {
    const database = await emptyDatabase();

    await plantStore(database, ['doctor', '--deep']);

    expect(await query(database.url, 'SELECT * FROM pg_tables WHERE schemaname = current_schema()')).toEqual(
      [],
    );
  });

  test('says in one line that nobody answers', async () => {
    const { code, stdout } = await plantStore(
      { url: `postgres://user:secret@127.0.0.1:${await freePort()}/plants` },
      ['doctor'],
    );

    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +database +The database PostgreSQL at \S+ cannot be reached/m);
    expect(stdout).not.toContain('secret');
  });

  test('compares the clock with that of the server', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());

    const { stdout } = await plantStore(database, ['doctor']);

    expect(stdout).toMatch(/^warning +clock +\S+ differs from the clock of PostgreSQL by (59|60)\d{3} ms/m);
  });

  test('finds an index that lacks a plant, with amcheck', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import'], numberedLines(10));
    const { stdout: without } = await plantStore(database, ['doctor', '--deep']);
    await database.execute(`
      CREATE EXTENSION amcheck;
      UPDATE pg_index SET indisready = false WHERE indexrelid = 'plants_by_name'::regclass;
      INSERT INTO plants VALUES (1000, 'not in the index');
      UPDATE pg_index SET indisready = true WHERE indexrelid = 'plants_by_name'::regclass`);

    const { code, stdout } = await plantStore(database, ['doctor', '--deep']);

    expect(without).toMatch(/^ok +integrity +Every row can be read; the extension amcheck/m);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +integrity +The database is damaged: .*lacks matching index tuple/m);
  });
});
