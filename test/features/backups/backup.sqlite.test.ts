import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plantStore } from '../../support/command-line.js';
import { emptySqlite, pathOf, type TestDatabase } from '../../support/database.js';
import { readMetrics } from '../../support/metrics.js';
import { PLANT_LINES } from '../../support/plants.js';
import { startService } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const LAST_SUCCESS = 'plant_store_backup_last_success_timestamp_seconds';

/** A store with every kind of plant. */
async function storeOfPlants(): Promise<TestDatabase> {
  const database = emptySqlite();
  await plantStore(database, ['import'], PLANT_LINES.join(''));
  return database;
}

/** A store with every kind of plant, and a backup of it. */
async function storeWithBackup(): Promise<{ database: TestDatabase; path: string; file: string }> {
  const database = await storeOfPlants();
  const file = join(temporaryFolder(), 'copy.db');
  await plantStore(database, ['backup', file]);
  return { database, path: pathOf(database), file };
}

/** Overwrites the root page of the plants with nonsense. */
function damage(path: string): void {
  const content = readFileSync(path);
  writeFileSync(path, content.fill(0xff, 3 * 4096, 4 * 4096));
}

describe('plant-store backup', () => {
  test('copies the store of a running service to a private file', async () => {
    const service = await startService({}, await storeOfPlants());
    const file = join(temporaryFolder(), 'a copy.db');

    const result = await plantStore(service.database, ['backup', file]);

    const { size, mode } = statSync(file);
    expect(result).toEqual({ code: 0, stdout: `Backed up to ${file} (${size} bytes).\n`, stderr: '' });
    expect(mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(['a copy.db']);
    expect(await emptySqlite(file).plants()).toEqual(await service.plants());
  });

  test.for<[string, (path: string) => string, RegExp]>([
    ['a file that exists', () => import.meta.filename, /^The file .+ exists already\.\n$/],
    ['the store itself', (path) => path, /^The file \S+ exists already\.\n$/],
    ['a folder that does not exist', () => '/nowhere/x.db', /^The folder \/nowhere does not exist\.\n$/],
  ])('refuses to write to %s', async ([, target, reason]) => {
    const database = await storeOfPlants();

    const result = await plantStore(database, ['backup', target(pathOf(database))]);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await database.plants()).toHaveLength(5);
  });

  test('of a damaged store fails, and leaves nothing behind', async () => {
    const [database, folder] = [await storeOfPlants(), temporaryFolder()];
    damage(pathOf(database));

    const result = await plantStore(database, ['backup', join(folder, 'copy.db')]);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/malformed|damaged/) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('plant-store restore', () => {
  test.for([[], ['--overwrite']])('puts the backup in the place of a store: %j', async (options) => {
    const [{ database: origin, file }, database] = [await storeWithBackup(), emptySqlite()];
    const path = pathOf(database);
    if (options.length > 0) await plantStore(database, ['import'], '{"id":1,"name":"of the former store"}');

    const result = await plantStore(database, ['restore', file, ...options]);

    expect(result).toEqual({ code: 0, stdout: `Restored ${file} to ${path}.\n`, stderr: '' });
    expect(readdirSync(dirname(path))).toEqual(['plant-store.db']);
    const service = await startService({}, database);
    expect(await service.plants()).toEqual(await origin.plants());
    expect(existsSync(file)).toBe(true);
  });

  test.for<[string, (path: string) => unknown, RegExp]>([
    [
      'is no database',
      (path) => writeFileSync(path, 'nonsense '.repeat(1_000)),
      /It is not a plant store\.\n$/,
    ],
    ['is empty', (path) => writeFileSync(path, ''), /It is not a plant store\.\n$/],
    [
      'is of another program',
      (path) => emptySqlite(path).execute('DROP TABLE migrations'),
      /It is not a plant store\.\n$/,
    ],
    ['is damaged', damage, /It is damaged: .+\.\n$/],
    [
      'was written by a newer version',
      (path) =>
        emptySqlite(path).execute(
          "INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future')",
        ),
      /written by a newer version of plant-store: it has the migration Future\.\n$/,
    ],
    [
      'has a log',
      (path) => writeFileSync(`${path}-wal`, 'x'),
      /is not a finished backup: a part of it is in \S+-wal\.\n$/,
    ],
  ])('refuses a file that %s', async ([, spoil, reason]) => {
    const { database, path, file } = await storeWithBackup();
    await spoil(file);

    const result = await plantStore(database, ['restore', file, '--overwrite']);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await database.plants()).toHaveLength(5);
    expect(readdirSync(dirname(path))).toEqual(['plant-store.db']);
  });

  test('refuses to overwrite a store that it was not told to, and one that is in use', async () => {
    const { database, path, file } = await storeWithBackup();
    const used = `A service or another process uses ${path}: stop it first.\n`;

    const untold = await plantStore(database, ['restore', file]);
    const nothing = await plantStore(database, ['restore', '/nowhere/x', '--overwrite']);
    const service = await startService({}, database);
    const served = await plantStore(database, ['restore', file, '--overwrite']);
    await service.stop();
    const reader = new Database(path);
    onTestFinished(() => void reader.close());
    reader.exec('BEGIN');
    reader.prepare('SELECT id FROM plants').all();
    const read = await plantStore(database, ['restore', file, '--overwrite']);

    expect(untold).toMatchObject({
      code: 1,
      stderr: `The store ${path} exists already: --overwrite replaces it.\n`,
    });
    expect(nothing).toMatchObject({ code: 1, stderr: 'The file /nowhere/x does not exist.\n' });
    expect([served, read]).toMatchObject([
      { code: 1, stderr: used },
      { code: 1, stderr: used },
    ]);
    expect(await database.plants()).toHaveLength(5);
  });

  test.for(['backup', 'restore'])('does not know PostgreSQL, nor does %s', async (command) => {
    const result = await plantStore({ url: 'postgres://127.0.0.1:1/x' }, [command, 'x.db']);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('pg_dump') });
  });
});

describe('backups of the service', () => {
  test('are due after the newest one in the folder', async () => {
    const folder = temporaryFolder();
    const time = new Date(Date.now() - 3_600_000);
    const name = `plant-store-${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`;
    writeFileSync(join(folder, name), 'the newest');

    const service = await startService({ BACKUP_FOLDER: folder, BACKUP_INTERVAL: '2h' });

    const metrics = await readMetrics(service);
    expect(metrics.get(LAST_SUCCESS)).toBe(Math.floor(time.getTime() / 1000));
    expect(readdirSync(folder)).toEqual([name]);
  });

  test('that fail are reported, and the service goes on', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');

    const service = await startService({ BACKUP_FOLDER: join(folder, 'file', 'backups') });

    await vi.waitUntil(() => service.log.some((line) => line.includes('"level":"error"')), {
      timeout: 5_000,
    });
    expect(service.log.join('')).toMatch(/The backup to \S+ has failed: ENOTDIR/);
    expect((await service.create({ id: 1, name: 'Aloe' })).status).toBe(200);
    expect((await readMetrics(service)).get(LAST_SUCCESS)).toBe(0);
  });
});
