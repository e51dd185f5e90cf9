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
import { MIGRATIONS, refuseNewerSchema } from '../../kernel/database/open-data-source.js';
import { finishFile, requireIntegrity, use } from './back-up.js';

/**
 * Replaces the SQLite store at `path` by a copy of the backup `file`, after checking the copy.
 *
 * @throws Error with the reason in one sentence; the store is then unchanged.
 */
export async function restore(file: string, path: string, { overwrite = false } = {}): Promise<void> {
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`);
  const rest = logOf(realpathSync(file));
  if (rest !== undefined)
    throw new Error(`The file ${file} is not a finished backup: a part of it is in ${rest}.`);
  const isNew = !existsSync(path);
  if (!isNew && !overwrite) throw new Error(`The store ${path} exists already: --overwrite replaces it.`);
  const left = isNew ? logOf(path) : undefined;
  if (left !== undefined && !overwrite)
    throw new Error(`The store ${path} is missing, but not its log ${left}: --overwrite deletes that.`);
  mkdirSync(dirname(path), { recursive: true });
  const target = isNew ? path : realpathSync(path);
  const make = (partial: string) => {
    copyFileSync(file, partial);
    chmodSync(partial, 0o600);
    // If root restores, the store must still belong to the user of the service.
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

/** Replaces a store by a file. Until then it keeps the store locked, so that no service opens it in between. */
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

/** Merges the log into the file and keeps the file locked, unless the store is damaged. Fails if a service uses the store. */
function mergeLog(store: Database.Database, path: string): void {
  try {
    // A read maps the index of the log. SQLite then deletes the index before the log, so a crash never leaves it without its log.
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

/** Finds the log that holds a part of a SQLite file. */
function logOf(path: string): string | undefined {
  const logs = ['-wal', '-journal'].map((suffix) => path + suffix);
  return logs.find((log) => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** Removes what a lost or damaged store has left beside its file. */
function removeLogs(path: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
