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

test('what plant-store imports, perhaps twice, it exports to the byte, also to a file, and from an id on', async () => {
  const database = await emptyDatabase();
  const file = join(temporaryFolder(), 'plants.ndjson');

  const some = await plantStore(database, ['import'], PLANT_LINES.slice(0, 3).join(''));
  const all = await plantStore(database, ['import'], PLANT_LINES.toReversed().join(''));
  const exported = await plantStore(database, ['export', '--of', 'plants']);
  const written = await plantStore(database, ['export', '--output', file]);
  const rest = await plantStore(database, ['export', '--after', '0']);
  const nothing = await plantStore(database, ['export', '--after', '9223372036854775807']);

  expect(some).toEqual({ code: 0, stdout: '', stderr: 'Imported 3 plants; 0 lines were refused.\n' });
  // Those that are there already are left alone, and count as stored.
  expect(all).toEqual({ code: 0, stdout: '', stderr: 'Imported 5 plants; 0 lines were refused.\n' });
  expect(exported).toMatchObject({ code: 0, stderr: 'Exported 5 plants.\n' });
  expect(withoutOtherFields(exported.stdout)).toBe(PLANT_LINES.join(''));
  expect(written).toEqual({ code: 0, stdout: '', stderr: 'Exported 5 plants.\n' });
  expect(readFileSync(file, 'utf8')).toBe(exported.stdout);
  expect(rest.stdout).toBe(exported.stdout.split(/^/m).slice(3).join(''));
  expect(nothing).toEqual({ code: 0, stdout: '', stderr: 'Exported 0 plants.\n' });
});

describe('plant-store import', () => {
  test('that is interrupted says from which line to go on, and has lost nothing before it', async () => {
    const database = await emptyDatabase();
    const file = numberedLines(100_000);
    const command = run('cli/plant-store.js', ['import'], temporaryFolder(), { DATABASE_URL: database.url });
    command.child.stdin.on('error', () => undefined).write(file.slice(0, 1_000_000));
    await vi.waitUntil(async () => (await database.plants().catch(() => [])).length > 0, { timeout: 10_000 });

    command.child.kill('SIGINT');
    command.child.stdin.write(file.slice(1_000_000));

    expect(await command.exited).toBe(1);
    const [, line = ''] =
      /^Interrupted\. Imported \d+ plants; .* Go on with --from-line (\d+)\.\n$/.exec(command.stderr()) ?? [];
    expect(await database.plants()).toHaveLength(Number(line) - 1);
    await plantStore(database, ['import', '--from-line', line], file);
    expect(await database.plants()).toHaveLength(100_000);
  });

  test('stops at the first line that the store cannot take now, and says from which to go on', async () => {
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
      'The store cannot be used at the moment. Imported 1000 plants; 0 lines were refused. Go on with --from-line 1001.\n',
    );
    expect(await database.plants()).toHaveLength(1000);
  });
});

describe('plant-store export', () => {
  test('shows the store as it was when it began', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import'], numberedLines(50_000));
    const command = run('cli/plant-store.js', ['export'], temporaryFolder(), { DATABASE_URL: database.url });
    command.child.stdout.once('data', () => command.child.stdout.pause());
    await vi.waitUntil(() => command.stdout() !== '', { timeout: 10_000 });

    await database.execute("UPDATE plants SET name = 'changed'; DELETE FROM plants WHERE id > 25000");
    command.child.stdout.resume();

    expect(await command.exited).toBe(0);
    expect(withoutOtherFields(command.stdout())).toBe(numberedLines(50_000));
  });
});
