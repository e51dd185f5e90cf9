import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { emptySqlite } from '../support/database.js';
import { createMany } from '../support/plants.js';
import { failedStart, type Service, startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NAME = 'plant-store.db';

/** How an operator may have got a copy of a store. */
const COPIES: Readonly<Record<string, (path: string, to: string) => Promise<unknown> | void>> = {
  'plant-store backup': (path, to) => plantStore({ url: `sqlite:${path}` }, ['backup', to]),
  'VACUUM INTO': (path, to) => using(path, (store) => void store.prepare('VACUUM INTO ?').run(to)),
  '.backup': (path, to) => using(path, (store) => store.backup(to)),
  'cp, earlier': (path, to) => copyFileSync(path, to),
};

async function using(path: string, work: (store: Database.Database) => unknown): Promise<void> {
  const store = new Database(path);
  await work(store);
  store.close();
}

/** Writes until the service has given its file another mark. */
async function writeUntilMarked(service: Service, path: string, firstId: number): Promise<void> {
  const marks = () => (existsSync(`${path}-marks`) ? readFileSync(`${path}-marks`, 'hex') : '');
  const before = marks();
  // The log begins anew with the next write.
  await service.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  await createMany(service, 100, firstId);
  await vi.waitUntil(() => marks() !== before, { timeout: 10_000 });
  // The marks are written down before the file gets the next one.
  await vi.waitUntil(
    async () => {
      let mark: unknown;
      await using(path, (store) => (mark = store.pragma('user_version', { simple: true })));
      return mark === readFileSync(`${path}-marks`).readUInt32BE(8);
    },
    { timeout: 10_000 },
  );
}

/** What a service leaves behind that is killed: a copy of all its files. */
function killed(path: string): string {
  const folder = temporaryFolder();
  cpSync(dirname(path), folder, { recursive: true });
  rmSync(join(folder, `${NAME}-lock`));
  return join(folder, NAME);
}

describe('the write-ahead log of a service that was killed', () => {
  test('is refused beside another file than its own, and nothing is changed', async () => {
    const service = await startService({}, emptySqlite());
    const path = service.database.url.slice('sqlite:'.length);
    const copies = temporaryFolder();
    copyFileSync(path, join(copies, 'cp, earlier'));
    await writeUntilMarked(service, path, 1);
    for (const [name, copy] of Object.entries(COPIES))
      if (!existsSync(join(copies, name))) await copy(path, join(copies, name));
    await writeUntilMarked(service, path, 101);
    await writeUntilMarked(service, path, 201);

    for (const name of Object.keys(COPIES)) {
      const left = killed(path);
      copyFileSync(join(copies, name), left);

      const failure = await failedStart({ DATABASE_URL: `sqlite:${left}` });
      const { stderr } = await plantStore({ url: `sqlite:${left}` }, ['token', 'list']);

      expect(failure, name).toMatch(
        /^The database file \S+ was replaced, and \S+-wal belongs to the file before/,
      );
      expect(stderr).toBe(`${failure}\n`);
      expect((await plantStore({ url: `sqlite:${left}` }, ['doctor'])).stdout).toContain(failure);
      expect(readFileSync(left).equals(readFileSync(join(copies, name)))).toBe(true);
    }
    // As the refusal says.
    const left = killed(path);
    copyFileSync(join(copies, 'VACUUM INTO'), left);
    renameSync(left, `${left}.elsewhere`);
    const restored = await plantStore({ url: `sqlite:${left}` }, ['restore', `${left}.elsewhere`]);
    const { database } = await startService({}, emptySqlite(left));
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(await database.plants()).toHaveLength(100);
  });

  test('is replayed into its own file, also when that was moved, or lost its marks', async () => {
    const service = await startService({}, emptySqlite());
    const path = service.database.url.slice('sqlite:'.length);
    const states = [killed(path)];
    await createMany(service, 10);
    states.push(killed(path));
    await writeUntilMarked(service, path, 101);
    states.push(killed(path), killed(path));
    rmSync(`${states.at(-1)}-marks`);
    // The mark gets into the file, and the log stays.
    await service.database.execute('PRAGMA wal_checkpoint(PASSIVE)');
    states.push(killed(path));
    await writeUntilMarked(service, path, 201);
    states.push(killed(path));

    const found: number[] = [];
    for (const state of states) {
      const { database } = await startService({}, emptySqlite(state));
      found.push((await database.plants()).length);
    }

    expect(found).toEqual([0, 10, 110, 110, 110, 210]);
  });

  test('is gone after a restore', async () => {
    const service = await startService({}, emptySqlite());
    const path = service.database.url.slice('sqlite:'.length);
    const file = join(temporaryFolder(), 'copy.db');
    await createMany(service, 10);
    await plantStore(service.database, ['backup', file]);
    await writeUntilMarked(service, path, 101);
    const left = killed(path);

    const { code } = await plantStore({ url: `sqlite:${left}` }, ['restore', file, '--overwrite']);
    const { database } = await startService({}, emptySqlite(left));

    expect(code).toBe(0);
    expect(await database.plants()).toHaveLength(10);
  });
});
