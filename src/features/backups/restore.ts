import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { MIGRATIONS, refuseNewerSchema } from '../../database/open-data-source.js';
import { finishFile, requireIntegrity, use } from './back-up.js';

/**
 * Puts a copy of the backup `file` in the place of the SQLite store at `path`, after it has checked it.
 *
 * @throws Error with the reason in one sentence; the store is as it was then.
 */
export async function restore(file: string, path: string, { overwrite = false } = {}): Promise<void> {
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`);
  for (const suffix of ['-wal', '-journal']) {
    const log = realpathSync(file) + suffix;
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new Error(`The file ${file} is not a finished backup: a part of it is in ${log}.`);
  }
  const isNew = !existsSync(path);
  if (!isNew && !overwrite) throw new Error(`The store ${path} exists already: --overwrite replaces it.`);
  mkdirSync(dirname(path), { recursive: true });
  const target = isNew ? path : realpathSync(path);
  const make = (partial: string) => {
    copyFileSync(file, partial);
    chmodSync(partial, 0o600);
    // What root restores belongs to the user of the service.
    const { uid, gid } = statSync(isNew ? dirname(target) : target);
    if (process.getuid?.() === 0) chownSync(partial, uid, gid);
    check(partial, file);
  };
  await finishFile(target, make, isNew ? placeNew : replace);
}

function placeNew(partial: string, path: string): void {
  removeLogs(path);
  linkSync(partial, path);
}

/** Puts a file in the place of a store that it keeps locked until then, so that no service opens it in between. */
function replace(partial: string, path: string): void {
  const former = new Database(path, { timeout: 0 });
  try {
    mergeLog(former, path);
    removeLogs(path);
    renameSync(partial, path);
  } finally {
    former.close();
  }
}

/** Merges the log into its file and keeps that locked, unless it is damaged. A service that uses the store makes this fail. */
function mergeLog(store: Database.Database, path: string): void {
  try {
    // A read maps the index of the log: SQLite then deletes it before the log, and none is left that misses its log.
    store.pragma('schema_version');
    store.pragma('locking_mode = EXCLUSIVE');
    store.pragma('journal_mode = DELETE');
    store.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new Error(`A service or another process uses ${path}: stop it first.`, { cause: error });
  }
}

function check(path: string, name: string): void {
  try {
    use(path, {}, (store) => {
      store.pragma('journal_mode = DELETE');
      const executed = store.prepare<[], string>('SELECT name FROM migrations').pluck().all();
      if (!executed.some((migration) => MIGRATIONS.has(migration)))
        throw new Error('It is not a plant store.');
      refuseNewerSchema(executed);
      requireIntegrity(store);
    });
  } catch (error) {
    throw new Error(`The file ${name} cannot be restored. ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Database.SqliteError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'SQLITE_NOTADB' || /no such (table|column)/.test(error.message))
    return 'It is not a plant store.';
  return `It is damaged: ${error.message}.`;
}

/** What a former store has left, if it is lost or damaged. */
function removeLogs(path: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
