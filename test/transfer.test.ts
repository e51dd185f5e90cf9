import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { describe, expect, inject, test, vi } from 'vitest';
import { plantStore } from './support/command-line.js';
import { emptyDatabase, type TestDatabase } from './support/database.js';
import { PLANT_LINES } from './support/plants.js';
import { run } from './support/running-process.js';
import { temporaryFolder } from './support/temporary-folder.js';

function many(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `{"id":${index + 1},"name":"plant ${index + 1}"}\n`,
  ).join('');
}

/** Keeps everyone else from writing plants; returns what ends that. */
async function lockPlants(database: TestDatabase): Promise<() => Promise<void>> {
  if (inject('database') === 'postgres') {
    await database.execute('BEGIN; LOCK TABLE plants');
    return () => database.execute('ROLLBACK');
  }
  const other = new Database(database.url.slice('sqlite:'.length)).exec('BEGIN IMMEDIATE');
  return async () => void other.close();
}

describe('plant-store import', () => {
  test('stores what export writes, to the byte, also from standard input', async () => {
    const database = await emptyDatabase();

    const imported = await plantStore(database, ['import'], PLANT_LINES.toReversed().join(''));
    const exported = await plantStore(database, ['export', '--of', 'plants']);

    expect(imported).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Imported 5 plants; 0 lines were refused.\n',
    });
    expect(exported).toEqual({ code: 0, stdout: PLANT_LINES.join(''), stderr: 'Exported 5 plants.\n' });
  });

  test('may be repeated: plants that are there already are left alone, and count as stored', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import'], PLANT_LINES.slice(0, 3).join(''));

    const again = await plantStore(database, ['import'], PLANT_LINES.join(''));

    expect(again).toMatchObject({ code: 0, stderr: 'Imported 5 plants; 0 lines were refused.\n' });
    expect((await plantStore(database, ['export'])).stdout).toBe(PLANT_LINES.join(''));
  });

  test('goes on from a line', async () => {
    const database = await emptyDatabase();

    const rest = await plantStore(database, ['import', '--from-line', '4'], PLANT_LINES.join(''));

    expect(rest.stderr).toBe('Imported 2 plants; 0 lines were refused.\n');
    expect((await database.plants()).map(({ name }) => name)).toEqual(['Monstera deliciosa', 'last']);
  });

  test('refuses bad lines with their number and a reason, imports the others, and fails', async () => {
    const database = await emptyDatabase();
    const file = join(temporaryFolder(), 'plants.ndjson');
    const lines = [
      '{"id":1,"name":"good"}',
      '{"id":2,"name":null}',
      '',
      '{"id":9223372036854775808,"name":"too large"}',
      'nonsense',
      '[]',
      '{"id":1,"name":"another"}',
      '{"id":1,"name":"good"}',
      '{"id":3,"name":"\xff"}',
      `{"id":4,"name":"${'x'.repeat(1_048_576)}"}`,
      '{"id":5,"name":"good, too"}\r',
    ];
    writeFileSync(file, lines.join('\n'), 'latin1');

    const result = await plantStore(database, ['import', file]);

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr.split('\n')).toEqual([
      'Line 2: The line is not valid: name must be a string of Unicode characters other than U+0000.',
      expect.stringMatching(/^Line 4: The line is not valid: id must be an integer /),
      'Line 5: The line must be valid JSON.',
      'Line 6: The line must be a JSON object.',
      'Line 7: The id 1 belongs to another plant.',
      'Line 9: The line must be encoded in UTF-8.',
      'Line 10: The line is too long.',
      'Imported 3 plants; 7 lines were refused.',
      'Not every line could be imported.',
      '',
    ]);
    expect((await database.plants()).map(({ id, name }) => [id, name])).toEqual([
      [1n, 'good'],
      [5n, 'good, too'],
    ]);
  });

  test('that is interrupted says from which line to go on, and has lost nothing before it', async () => {
    const database = await emptyDatabase();
    const file = many(100_000);
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
      DATABASE_STATEMENT_TIMEOUT_MS: '500',
    });
    command.child.stdin.write(many(1000));
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

  test('shows how far it is at a terminal', async () => {
    const database = await emptyDatabase();
    const file = join(temporaryFolder(), 'plants.ndjson');
    writeFileSync(file, many(5000));
    const script = fileURLToPath(new URL('../dist/src/cli/plant-store.js', import.meta.url));

    const command = `${process.execPath} ${script} import ${file}`;
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], {
      cwd: temporaryFolder(),
      env: { PATH: process.env['PATH'], TERM: 'xterm', DATABASE_URL: database.url },
    });

    expect(stdout).toMatch(/100 %, 5000 plants/);
    expect(stdout).toContain('Imported 5000 plants');
  });
});

describe('plant-store export', () => {
  test('writes to a file, and goes on after an id', async () => {
    const database = await emptyDatabase();
    const file = join(temporaryFolder(), 'plants.ndjson');
    await plantStore(database, ['import'], PLANT_LINES.join(''));

    const whole = await plantStore(database, ['export', '--output', file]);
    const rest = await plantStore(database, ['export', '--after', '0']);
    const nothing = await plantStore(database, ['export', '--after', '9223372036854775807']);

    expect(whole).toEqual({ code: 0, stdout: '', stderr: 'Exported 5 plants.\n' });
    expect(readFileSync(file, 'utf8')).toBe(PLANT_LINES.join(''));
    expect(rest.stdout).toBe(PLANT_LINES.slice(3).join(''));
    expect(nothing).toEqual({ code: 0, stdout: '', stderr: 'Exported 0 plants.\n' });
  });

  test('holds every plant once, in ascending id, however many pages they take', async () => {
    const database = await emptyDatabase();
    const long = 'x'.repeat(400_000);
    const plants = Array.from({ length: 2500 }, (_, index) => ({
      id: (index - 1000) * 3,
      name: index % 500 === 0 ? long : `plant ${index}`,
    }));
    await plantStore(database, ['import'], plants.map((plant) => JSON.stringify(plant)).join('\n'));

    const { stdout } = await plantStore(database, ['export']);

    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(plants);
  });

  test('shows the store as it was when it began', async () => {
    const database = await emptyDatabase();
    await plantStore(database, ['import'], many(50_000));
    const command = run('cli/plant-store.js', ['export'], temporaryFolder(), { DATABASE_URL: database.url });
    command.child.stdout.once('data', () => command.child.stdout.pause());
    await vi.waitUntil(() => command.stdout() !== '', { timeout: 10_000 });

    await database.execute("UPDATE plants SET name = 'changed'; DELETE FROM plants WHERE id > 25000");
    command.child.stdout.resume();

    expect(await command.exited).toBe(0);
    expect(command.stdout()).toBe(many(50_000));
  });

  test.for([
    ['an id that is none', ['export', '--after', 'x'], 2, /must be an id/],
    ['an id outside of int64', ['export', '--after', '9223372036854775808'], 2, /must be an id/],
    ['a line that is none', ['import', '--from-line', '0'], 2, /number of a line/],
    ['a file that there is not', ['import', '/nowhere/x'], 1, /^ENOENT/],
    ['a resource that there is not', ['export', '--of', 'stones'], 2, /choices are plants/],
    ['a folder that there is not', ['export', '--output', '/nowhere/x'], 1, /^ENOENT/],
  ] as const)('refuses %s', async ([, args, code, reason]) => {
    const result = await plantStore(await emptyDatabase(), args);

    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(reason);
  });
});
