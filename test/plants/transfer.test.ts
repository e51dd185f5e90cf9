import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, inject, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { numberedLines, PLANT_LINES, withoutOtherFields } from '../support/plants.js';
import { run } from '../support/running-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Keeps everyone else from writing plants; returns what ends that. */
async function lockPlants(database: TestDatabase): Promise<() => Promise<void>> {
  if (inject('database') === 'postgres') {
    await database.execute('BEGIN; LOCK TABLE plants');
    return () => database.execute('ROLLBACK');
  }
  const other = new Database(database.url.slice('sqlite:'.length)).exec('BEGIN IMMEDIATE');
  return async () => void other.close();
}

test('what plant-store imports, perhaps twice, it exports to the byte, also to a file', async () => {
  const database = await emptyDatabase();
  const file = join(temporaryFolder(), 'plants.ndjson');

  const some = await plantStore(database, ['import'], PLANT_LINES.slice(0, 3).join(''));
  const all = await plantStore(database, ['import'], PLANT_LINES.toReversed().join(''));
  const exported = await plantStore(database, ['export', '--of', 'plants']);
  const written = await plantStore(database, ['export', '--output', file]);

  expect(some).toEqual({ code: 0, stdout: '', stderr: 'Imported 3 plants; 0 lines were refused.\n' });
  // Those that are there already are left alone, and count as stored.
  expect(all).toEqual({ code: 0, stdout: '', stderr: 'Imported 5 plants; 0 lines were refused.\n' });
  expect(exported).toMatchObject({ code: 0, stderr: 'Exported 5 plants.\n' });
  expect(withoutOtherFields(exported.stdout)).toBe(PLANT_LINES.join(''));
  expect(written).toEqual({ code: 0, stdout: '', stderr: 'Exported 5 plants.\n' });
  expect(readFileSync(file, 'utf8')).toBe(exported.stdout);
});

describe('plant-store import', () => {
  test('stops at the first line that the store cannot take now', async () => {
    const database = await emptyDatabase();
    const command = run('cli/plant-store.js', ['import'], temporaryFolder(), {
      DATABASE_URL: database.url,
    });
    command.child.stdin.write(numberedLines(1000));
    await vi.waitUntil(async () => (await database.plants().catch(() => [])).length === 1000, {
      timeout: 10_000,
    });

    const unlock = await lockPlants(database);
    command.child.stdin.end('{"id":1001,"name":"plant 1001"}\nnonsense\n{"id":1002,"name":"plant 1002"}\n');
    const code = await command.exited;
    await unlock();

    expect(code).toBe(1);
    expect(command.stderr()).toBe(
      'Line 1001: The store cannot be used at the moment. Repeat the import: what is stored counts as imported.\n',
    );
    expect(await database.plants()).toHaveLength(1000);
  });
});

describe('plant-store export', () => {
  test('shows the store as it was when it began', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import'], numberedLines(20_000));
    const command = run('cli/plant-store.js', ['export'], temporaryFolder(), { DATABASE_URL: database.url });
    command.child.stdout.once('data', () => command.child.stdout.pause());
    await vi.waitUntil(() => command.stdout() !== '', { timeout: 10_000 });

    await database.execute("UPDATE plants SET name = 'changed'; DELETE FROM plants WHERE id > 10000");
    command.child.stdout.resume();

    expect(await command.exited).toBe(0);
    expect(withoutOtherFields(command.stdout())).toBe(numberedLines(20_000));
  });
});
