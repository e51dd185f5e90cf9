import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptySqlite, type TestDatabase } from '../support/database.js';
import { numberedLines } from '../support/plants.js';
import { startService } from '../support/service.js';

function pathOf({ url }: TestDatabase): string {
  return url.slice('sqlite:'.length);
}

describe('plant-store doctor on SQLite', () => {
  test('makes no database that is not there', async () => {
    const database = emptySqlite();

    const { code, stdout } = await plantStore(database, ['doctor']);

    expect(code).toBe(1);
    expect(stdout).toMatch(/problem +database +The database file \S+ does not exist\. Correct DATABASE_URL/);
    expect(existsSync(pathOf(database))).toBe(false);
  });

  test.for<[string, (path: string) => void, string]>([
    ['no database', (path) => writeFileSync(path, 'nonsense '.repeat(1000)), 'is not a SQLite database.'],
    ['a folder', (path) => mkdirSync(path), 'cannot be opened.'],
  ])('says what is wrong with a file that is %s', async ([, prepare, reason]) => {
    const database = emptySqlite();
    prepare(pathOf(database));

    const { code, stdout } = await plantStore(database, ['doctor']);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +database /m);
    expect(stdout).toContain(reason);
  });

  test('leaves every byte as it was, and no file behind', async () => {
    const database = emptySqlite();
    await plantStore(database, ['import'], numberedLines(100));
    const [before, files] = [await database.dump(), readdirSync(dirname(pathOf(database)))];

    await plantStore(database, ['doctor', '--deep']);

    expect(readdirSync(dirname(pathOf(database)))).toEqual(files);
    expect(await database.dump()).toBe(before);
  });

  test('leaves the log of a store that was not stopped', async () => {
    const service = await startService({}, emptySqlite());
    await service.create({ id: 1, name: 'Aloe' });
    const [original, copy] = [pathOf(service.database), emptySqlite()];
    for (const suffix of ['', '-wal']) copyFileSync(original + suffix, pathOf(copy) + suffix);

    const { code } = await plantStore(copy, ['doctor', '--deep']);

    expect(code).toBe(0);
    for (const suffix of ['', '-wal'])
      expect(readFileSync(pathOf(copy) + suffix).equals(readFileSync(original + suffix))).toBe(true);
  });

  test('tells of the service that runs on the file, and of its disk', async () => {
    const service = await startService({}, emptySqlite());

    const { stdout: beside } = await plantStore(service.database, ['doctor']);
    await service.stop();
    const { stdout: alone } = await plantStore(service.database, ['doctor']);

    expect(beside).toMatch(/^ok +service +A service runs on this file/m);
    expect(alone).toMatch(/^ok +service +No service runs on this file\.$/m);
    expect(alone).toMatch(/^\w+ +disk +[\d.]+ MiB free; the database has [\d.]+ MiB, /m);
  });

  test('finds damage if it reads everything', async () => {
    const database = emptySqlite();
    await plantStore(database, ['import'], numberedLines(2000));
    const content = readFileSync(pathOf(database));
    writeFileSync(pathOf(database), content.fill(0, content.length - 4096));

    const { code, stdout } = await plantStore(database, ['doctor', '--deep']);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +integrity +The database is damaged: .+ restore a backup\.$/m);
  });
});
