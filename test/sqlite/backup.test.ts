import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptySqlite, type TestDatabase } from '../support/database.js';
import { readMetrics } from '../support/metrics.js';
import { PLANT_LINES } from '../support/plants.js';
import { runService } from '../support/running-process.js';
import { startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const LAST_SUCCESS = 'plant_store_backup_last_success_timestamp_seconds';

/** A store with every kind of plant. */
async function storeOfPlants(): Promise<TestDatabase> {
  const database = emptySqlite();
  await plantStore(database, ['import'], PLANT_LINES.join(''));
  return database;
}

function pathOf({ url }: TestDatabase): string {
  return url.slice('sqlite:'.length);
}

/** Changes a SQLite file. */
function change(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

/** Overwrites the root page of the plants with nonsense. */
function damage(path: string): void {
  const content = readFileSync(path);
  writeFileSync(path, content.fill(0xff, 3 * 4096, 4 * 4096));
}

describe('plant-store backup', () => {
  test('copies the store of a running service, and says what the copy is', async () => {
    const service = await startService({}, await storeOfPlants());
    const file = join(temporaryFolder(), 'a copy.db');

    const text = await plantStore(service.database, ['backup', file]);
    const json = await plantStore(service.database, ['backup', file, '--overwrite', '--json']);

    const sha256 = hash('sha256', readFileSync(file));
    const bytes = statSync(file).size;
    expect(text).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^Backed up 5 plants[\\w, ]* to ${file} \\(${bytes} bytes, SHA-256 [0-9a-f]{64}\\)\\.\n$`),
      ),
      stderr: '',
    });
    expect(JSON.parse(json.stdout)).toMatchObject({ file, bytes, sha256, plants: 5 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(['a copy.db']);
    expect(await emptySqlite(file).plants()).toEqual(await service.plants());
  });

  test.for<[string, (path: string) => string[], RegExp]>([
    ['a file that exists', () => [import.meta.filename], /^The file \S+ exists already\.\n$/],
    ['a folder', (path) => [dirname(path), '--overwrite'], /exists already\.\n$/],
    ['a folder that does not exist', () => ['/nowhere/x.db'], /^The folder \/nowhere does not exist\.\n$/],
    ['the store itself', (path) => [path, '--overwrite'], /is a part of the store itself\.\n$/],
    ['the log of the store', (path) => [`${path}-wal`, '--overwrite'], /is a part of the store itself\.\n$/],
    [
      'the store by another name',
      (path) => {
        symlinkSync(path, `${path}.link`);
        return [`${path}.link`, '--overwrite'];
      },
      /is a part of the store itself\.\n$/,
    ],
  ])('refuses to overwrite %s', async ([, args, reason]) => {
    const database = await storeOfPlants();
    const path = pathOf(database);

    const result = await plantStore(database, ['backup', ...args(path)]);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await database.plants()).toHaveLength(5);
  });

  test('of a damaged store fails, and leaves the former backup as it was', async () => {
    const database = await storeOfPlants();
    const file = join(temporaryFolder(), 'copy.db');
    await plantStore(database, ['backup', file]);
    const before = readFileSync(file);
    damage(pathOf(database));

    const result = await plantStore(database, ['backup', file, '--overwrite']);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/malformed|damaged/) });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual(['copy.db']);
  });
});

describe('plant-store restore', () => {
  test.for([[], ['--overwrite']])('puts the backup in the place of a store: %j', async (options) => {
    const [origin, database] = [await storeOfPlants(), emptySqlite()];
    const file = join(temporaryFolder(), 'copy.db');
    await plantStore(origin, ['backup', file]);
    if (options.length > 0) await plantStore(database, ['import'], '{"id":1,"name":"of the former store"}');

    const result = await plantStore(database, ['restore', file, ...options]);

    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(
      /^Restored 5 plants[\w, ]* to \S+plant-store\.db \(\d+ bytes, SHA-256 \w{64}\)\.\n$/,
    );
    expect(readdirSync(dirname(pathOf(database)))).toEqual(['plant-store.db']);
    const service = await startService({}, database);
    expect(await service.plants()).toEqual(await origin.plants());
    expect(existsSync(file)).toBe(true);
  });

  test.for<[string, (path: string) => void, RegExp]>([
    [
      'is no database',
      (path) => writeFileSync(path, 'nonsense '.repeat(1_000)),
      /It is not a plant store\.\n$/,
    ],
    ['is empty', (path) => writeFileSync(path, ''), /It is not a plant store\.\n$/],
    [
      'is of another program',
      (path) => change(path, 'DROP TABLE migrations'),
      /It is not a plant store\.\n$/,
    ],
    ['is damaged', damage, /It is damaged: .+\.\n$/],
    [
      'was written by a newer version',
      (path) => change(path, "INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future')"),
      /It was written by a newer version of plant-store: it has the migration Future\.\n$/,
    ],
    [
      'has a log',
      (path) => writeFileSync(`${path}-wal`, 'x'),
      /is not a finished backup: a part of it is in \S+-wal\.\n$/,
    ],
  ])('refuses a file that %s', async ([, spoil, reason]) => {
    const database = await storeOfPlants();
    const file = join(temporaryFolder(), 'copy.db');
    await plantStore(database, ['backup', file]);
    spoil(file);

    const result = await plantStore(database, ['restore', file, '--overwrite']);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await database.plants()).toHaveLength(5);
    expect(readdirSync(dirname(pathOf(database)))).toEqual(['plant-store.db']);
  });

  test('refuses to overwrite a store that it was not told to, one that is in use, and itself', async () => {
    const database = await storeOfPlants();
    const path = pathOf(database);
    const file = join(temporaryFolder(), 'copy.db');
    await plantStore(database, ['backup', file]);

    const untold = await plantStore(database, ['restore', file]);
    const itself = await plantStore(database, ['restore', path, '--overwrite']);
    const nothing = await plantStore(database, ['restore', '/nowhere/x', '--overwrite']);
    const reader = new Database(path);
    onTestFinished(() => void reader.close());
    reader.prepare('SELECT id FROM plants').all();
    const used = await plantStore(database, ['restore', file, '--overwrite']);
    const service = await startService({}, database);
    const served = await plantStore(database, ['restore', file, '--overwrite']);

    expect(untold).toMatchObject({ code: 1, stderr: `The store ${path} exists already.\n` });
    expect(itself).toMatchObject({ code: 1, stderr: `The file ${path} is a part of the store itself.\n` });
    expect(nothing).toMatchObject({ code: 1, stderr: 'The file /nowhere/x does not exist.\n' });
    expect(used).toMatchObject({ code: 1, stderr: `Another process uses ${path}: stop it first.\n` });
    expect(served).toMatchObject({ code: 1, stderr: `A service uses ${path}: stop it first.\n` });
    expect((await service.create({ id: 1, name: 'Aloe' })).status).toBe(200);
  });

  test.for(['backup', 'restore'])('does not know PostgreSQL, nor does %s', async (command) => {
    const result = await plantStore({ url: 'postgres://127.0.0.1:1/x' }, [command, 'x.db']);

    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('pg_dump') });
  });
});

describe('backups of the service', () => {
  test('are made at intervals, and the newest ones are kept', async () => {
    const [folder, BACKUP_FOLDER] = [temporaryFolder(), join(temporaryFolder(), 'backups')];
    const DATABASE_URL = `sqlite:${join(folder, 'plant-store.db')}`;
    await plantStore({ url: DATABASE_URL }, ['import'], PLANT_LINES.join(''));
    const settings = { DATABASE_URL, BACKUP_FOLDER, BACKUP_INTERVAL: '1s', BACKUP_KEEP: '1' };
    const service = await runService(folder, settings);

    const made = await vi.waitUntil(
      () => {
        const names = [...service.stdout().matchAll(/Backed up to (\S+) \(\d+ bytes, SHA-256 \w{64}\)/g)];
        return names.length > 2 && names.map(([, name = '']) => basename(name));
      },
      { timeout: 30_000 },
    );
    service.child.kill('SIGTERM');

    expect(await service.exited).toBe(0);
    const kept = readdirSync(BACKUP_FOLDER).filter((name) => name.endsWith('.db'));
    expect(made[0]).toMatch(/^plant-store-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
    expect(kept).not.toContain(made[0]);
    // One more if the service was stopped before it had deleted it.
    expect(kept.length).toBeLessThanOrEqual(2);
    expect(await emptySqlite(join(BACKUP_FOLDER, kept[0] ?? '')).plants()).toHaveLength(5);
  });

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
