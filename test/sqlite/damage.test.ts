import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptySqlite, pathOf, type TestDatabase } from '../support/database.js';
import { numberedLines, plant } from '../support/plants.js';
import { run } from '../support/running-process.js';
import { readMetrics } from '../support/metrics.js';
import { failedStart, startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const MANY = 3_000;

/** The files of a store by their suffixes. */
type Files = ReadonlyMap<string, Buffer>;

function filesOf(store: TestDatabase, ...suffixes: string[]): Files {
  return new Map(suffixes.map((suffix) => [suffix, readFileSync(pathOf(store) + suffix)]));
}

function storeOf(files: Files): TestDatabase {
  const store = emptySqlite();
  for (const [suffix, content] of files) writeFileSync(pathOf(store) + suffix, content, { mode: 0o600 });
  return store;
}

let closed: Files | undefined;
let killed: Files | undefined;
let contentOfCopy: Buffer | undefined;

/** A store of many plants that was closed, so that all are in its file. */
async function closedStore(): Promise<TestDatabase> {
  if (closed === undefined) {
    const database = emptySqlite();
    await plantStore(database, ['import'], numberedLines(MANY));
    closed = filesOf(database, '');
  }
  return storeOf(closed);
}

/** A store as a kill leaves it, with its latest plant in the log. */
async function killedStore(): Promise<TestDatabase> {
  if (killed === undefined) {
    const service = await startService({}, await closedStore());
    expect(await service.create(plant(MANY + 1))).toMatchObject({ status: 200 });
    killed = filesOf(service.database, '', '-wal', '-shm');
  }
  return storeOf(killed);
}

/** A file of a killed store's content that is not the file of that store. */
async function contentOfBackup(): Promise<Buffer> {
  if (contentOfCopy === undefined) {
    const copy = emptySqlite();
    await plantStore(await killedStore(), ['backup', pathOf(copy)]);
    contentOfCopy = readFileSync(pathOf(copy));
  }
  return contentOfCopy;
}

/** What is stored; the index of the log is made anew by whoever reads it. */
function contentOf(path: string): string[] {
  const files = [path, `${path}-wal`];
  return files.map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''));
}

/** Overwrites pages with zeros. */
function zero(path: string, firstPage: number, pages: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pages * 4096), 0, pages * 4096, firstPage * 4096);
}

/**
 * Begins the log anew, and writes to it; then a part of the store is put back that was there before.
 *
 * @param isCommitted whether the kill was after the commit.
 */
function putBack(path: string, part: '-wal' | '-shm', isCommitted = true): void {
  const store = new Database(path);
  const parts = () => ['', '-wal', '-shm'].map((suffix) => [suffix, readFileSync(path + suffix)] as const);
  const before = new Map(parts());
  store.pragma('wal_checkpoint(RESTART)');
  // Pages beyond the cache are written before the commit.
  store.pragma('cache_size = 1');
  store.exec("BEGIN; UPDATE plants SET tag = 'new'");
  if (isCommitted) store.exec('COMMIT');
  const after = parts();
  store.close();
  for (const [suffix, content] of after)
    writeFileSync(path + suffix, (suffix === part ? before.get(suffix) : undefined) ?? content);
}

describe('a store', () => {
  test('is one file after a stop, and none is lost after a kill', async () => {
    const [atRest, database] = [await closedStore(), await killedStore()];
    // Any program that reads the store then merges the log.
    expect(await database.plants()).toHaveLength(MANY + 1);

    await startService({}, database);

    expect(readdirSync(dirname(pathOf(atRest)))).toEqual(['plant-store.db']);
    expect(await database.plants()).toHaveLength(MANY + 1);
  });

  test.for<[string, (path: string) => void]>([
    ['whose index is that of an older log, as after a failure of the power', (path) => putBack(path, '-shm')],
    ['whose log was about to begin anew', (path) => putBack(path, '-wal', false)],
  ])('%s starts with every plant', async ([, change]) => {
    const database = await killedStore();
    change(pathOf(database));

    const service = await startService({}, database);

    expect(await service.plants()).toHaveLength(MANY + 1);
  });

  test.for<[string, (path: string) => void, RegExp]>([
    [
      'whose file is another one',
      (path) => copyFileSync(path.replace('plant-store.db', 'other.db'), path),
      /^The database file \S+ was replaced, and \S+-wal belongs to the file before it\. Move/,
    ],
    [
      'whose file is empty',
      (path) => truncateSync(path),
      /^The database file \S+ is missing or empty, and its log/,
    ],
    ['whose file is cut off', (path) => truncateSync(path, 10 * 4096), /^The database file \S+ is corrupt: /],
    ['whose file is overwritten', (path) => zero(path, 20, 5), /^The database file \S+ is corrupt: /],
    [
      'without its log',
      (path) => rmSync(`${path}-wal`),
      /^The log \S+ is missing or empty: it lacks the last writes/,
    ],
    [
      'whose log is cut off',
      (path) => truncateSync(`${path}-wal`, 5_000),
      /^The log \S+ is damaged: it lacks the last writes/,
    ],
    [
      'whose log is overwritten',
      (path) => zero(`${path}-wal`, 0, 1),
      /^The log \S+ is damaged: it lacks the last writes/,
    ],
    [
      'whose log is an older copy',
      (path) => putBack(path, '-wal'),
      /^The log \S+ is an older copy, or of another store: it lacks the last writes/,
    ],
    [
      'whose log was about to begin anew, and is an older copy',
      (path) => {
        putBack(path, '-wal', false);
        truncateSync(`${path}-wal`, 5_000);
      },
      /^The log \S+ is damaged: it lacks the last writes/,
    ],
    [
      'beside a journal',
      (path) => writeFileSync(`${path}-journal`, 'nonsense'),
      /^The journal \S+-journal does not belong to the store/,
    ],
    [
      'whose log is of another store',
      (path) => {
        const other = new Database(path.replace('plant-store.db', 'other.db'));
        other.pragma('journal_mode = WAL');
        other.exec("UPDATE plants SET tag = 'new'");
        copyFileSync(`${other.name}-wal`, `${path}-wal`);
        other.close();
      },
      /^The log \S+ is an older copy, or of another store: it lacks the last writes/,
    ],
  ])('%s is refused after a kill by each command, and is not changed', async ([, damage, reason]) => {
    const database = await killedStore();
    const path = pathOf(database);
    writeFileSync(path.replace('plant-store.db', 'other.db'), await contentOfBackup());
    damage(path);
    const before = contentOf(path);

    const failure = await failedStart({ DATABASE_URL: database.url });
    const command = await plantStore(database, ['token', 'list']);

    expect(failure).toMatch(reason);
    expect(command.stderr).toBe(`${failure}\n`);
    expect(contentOf(path)).toEqual(before);
  });

  test('does not begin anew when its file was emptied, or removed beside its log', async () => {
    const stores = [await closedStore(), await killedStore()] as const;
    truncateSync(pathOf(stores[0]));
    rmSync(pathOf(stores[1]));

    const starts = stores.map(({ url }) => failedStart({ DATABASE_URL: url }));

    const [emptied, removed] = await Promise.all(starts);
    expect(emptied).toMatch(/is empty\. Remove it to begin a new store/);
    expect(removed).toMatch(/is missing or empty, and its log \S+ is not\. Put the file back/);
  });

  test('keeps the log of a missing file from a restore that is not told to overwrite', async () => {
    const [database, backup] = [await killedStore(), pathOf(await closedStore())];
    const path = pathOf(database);
    rmSync(path);
    const log = readFileSync(`${path}-wal`);

    const untold = await plantStore(database, ['restore', backup]);

    const reason = `The store ${path} is missing, but not its log ${path}-wal: --overwrite deletes that.\n`;
    expect(untold).toMatchObject({ code: 1, stdout: '', stderr: reason });
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}-wal`)).toEqual(log);
    expect(await plantStore(database, ['restore', backup, '--overwrite'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await (await startService({}, database)).plants()).toHaveLength(MANY);
  });

  test('without its log can be restored, and begins without what was in it', async () => {
    const database = await killedStore();
    rmSync(`${pathOf(database)}-wal`);
    renameSync(pathOf(database), `${pathOf(database)}.elsewhere`);

    const restored = await plantStore(database, ['restore', `${pathOf(database)}.elsewhere`]);

    expect(restored).toMatchObject({ code: 0, stderr: '' });
    const service = await startService({}, database);
    expect(await service.plants()).toHaveLength(MANY);
  });

  test('that turns out to be corrupt refuses writes, and says so', async () => {
    const database = await closedStore();
    const store = new Database(pathOf(database));
    const root = store
      .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'plants'")
      .pluck()
      .get() as number;
    store.close();
    zero(pathOf(database), root - 1, 1);
    const service = await startService({}, database);

    const read = await service.send('GET', `/plants/${MANY}`);
    const refused = await service.create(plant(1));
    const ready = await service.request('/health/ready');
    const metrics = await readMetrics(service);
    await service.stop();

    for (const { status, body } of [read, refused])
      expect({ status, body }).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(ready.body).toEqual({ status: 'degraded', check: 'file' });
    expect(metrics.get('plant_store_degraded{check="file"}')).toBe(1);
    expect(service.log.filter((line) => line.includes('corrupt, and refuses writes'))).toHaveLength(1);
  });
});

describe('a file that is moved under its service', () => {
  test('makes it refuse everything until it is back, and loses nothing', async () => {
    const database = await closedStore();
    const [path, elsewhere] = [pathOf(database), join(temporaryFolder(), 'elsewhere.db')];
    const service = await startService({}, database);
    const isReady = async () => (await service.request('/health/ready')).status;

    renameSync(path, elsewhere);
    // What is acknowledged until then is in the file and in its log.
    let id = MANY + 1;
    while ((await service.create(plant(id))).status === 200) id += 1;
    const away = await isReady();
    const metrics = await readMetrics(service);
    renameSync(elsewhere, path);
    await vi.waitUntil(async () => (await isReady()) === 200);
    const back = await service.create(plant(id));
    renameSync(path, elsewhere);
    await service.stop();
    renameSync(elsewhere, path);

    expect(away).toBe(503);
    expect(metrics.get('plant_store_database_up')).toBe(0);
    expect(back.status).toBe(200);
    expect(service.log.filter((line) => line.includes('Put it back'))).toHaveLength(1);
    const { database: again } = await startService({}, database);
    expect(await again.plants()).toHaveLength(id);
  });

  test('is noticed when only its log was emptied', async () => {
    const database = await closedStore();
    const service = await startService({}, database);
    let id = MANY + 1;
    expect(await service.create(plant(id))).toMatchObject({ status: 200 });
    truncateSync(`${pathOf(database)}-wal`);

    await vi.waitUntil(async () => (await service.create(plant((id += 1)))).status === 503);
  });

  test('stays in use while its state cannot be checked', async () => {
    const service = await startService();
    const folder = dirname(pathOf(service.database));
    const elsewhere = join(temporaryFolder(), 'elsewhere');

    renameSync(folder, elsewhere);
    // Its path then leads nowhere: ELOOP. Too many open files and missing rights are such errors, too.
    symlinkSync(folder, folder);
    await vi.waitUntil(() => service.log.some((line) => line.includes('cannot be checked')));
    const beside = await service.create(plant(1));
    rmSync(folder);
    renameSync(elsewhere, folder);

    expect(beside.status).toBe(200);
    expect(await service.plants()).toHaveLength(1);
  });

  test('makes a service that is starting give up', async () => {
    const [database, other] = [await closedStore(), await closedStore()];
    const locked = new Database(pathOf(database));
    locked.exec('BEGIN EXCLUSIVE');
    const start = run('main.js', [], temporaryFolder(), { PORT: '0', DATABASE_URL: database.url });
    // It has opened the file, and waits for its lock.
    const files = () => spawnSync('ls', ['-l', `/proc/${start.child.pid}/fd`]).stdout;
    await vi.waitUntil(() => files().includes(pathOf(database)), { interval: 1, timeout: 20_000 });
    renameSync(pathOf(other), pathOf(database));
    locked.close();

    expect(await start.exited).toBe(1);
    expect(start.stderr()).toMatch(
      /^plant-store did not start\. The database file \S+ was replaced while it was opened: start again\./,
    );
  });
});
