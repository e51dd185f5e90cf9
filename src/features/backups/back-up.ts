import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { requireWholeStore } from '../../kernel/database/sqlite/store-file.js';

/**
 * Copies the SQLite store at `path` to the new `file`, as it is at this moment, and checks the copy; services go on meanwhile.
 *
 * @returns the size of the copy in bytes.
 * @throws Error with the reason in one sentence; `file` then does not exist.
 */
export async function backUp(path: string, file: string): Promise<number> {
  if (!existsSync(path)) throw new Error(`The database file ${path} does not exist.`);
  if (!existsSync(dirname(file))) throw new Error(`The folder ${dirname(file)} does not exist.`);
  if (existsSync(file)) throw new Error(`The file ${file} exists already.`);
  await requireWholeStore(path);
  try {
    return await finishFile(file, (partial) => {
      // Private, because the store contains digests of tokens.
      closeSync(openSync(partial, 'wx', 0o600));
      use(path, { readonly: true }, (store) => store.prepare('VACUUM INTO ?').run(partial));
      use(partial, {}, requireIntegrity);
    });
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new Error(`The store ${path} cannot be copied to ${file}: ${error.message}.`, { cause: error });
  }
}

/**
 * Makes a file under a temporary name in its folder, and gives it its final name when it is complete and on disk.
 *
 * @param place gives it the final name; the default fails if a file has that name by then.
 * @returns its size in bytes.
 */
export async function finishFile(
  file: string,
  make: (partial: string) => void,
  place: (partial: string, file: string) => void = linkSync,
): Promise<number> {
  const partial = `${file}.${process.pid}.partial`;
  try {
    make(partial);
    await sync(partial, 'r+');
    const { size } = statSync(partial);
    place(partial, file);
    await syncFolder(file);
    return size;
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isTaken ? new Error(`The file ${file} exists already.`, { cause: error }) : error;
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true });
  }
}

async function syncFolder(file: string): Promise<void> {
  // Windows cannot sync a folder.
  if (process.platform !== 'win32') await sync(dirname(file), 'r');
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Opens a SQLite file for `work`, and closes it whatever happens. */
export function use(
  path: string,
  options: Database.Options,
  work: (database: Database.Database) => void,
): void {
  const database = new Database(path, options);
  try {
    work(database);
  } finally {
    database.close();
  }
}

/** Reads a whole database; throws an Error with the first problem that SQLite finds. */
export function requireIntegrity(database: Database.Database): void {
  const problem = database.pragma('integrity_check(1)', { simple: true }) as string;
  if (problem !== 'ok') throw new Error(`It is damaged: ${problem.replaceAll(/\s+/g, ' ')}.`);
}
