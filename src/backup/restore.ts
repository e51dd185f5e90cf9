import {
  chownSync,
  copyFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import * as migrations from '../../migrations/index.js';
import { SoleServiceCheck } from '../database/sole-service-check.js';
import type { Backup } from './back-up.js';
import { checkIntegrity, countRows, type RowCounts } from './copy-check.js';
import { finishFile, syncFolder } from './finished-file.js';
import { isPartOfStore } from './is-part-of-store.js';

const KNOWN_MIGRATIONS: ReadonlySet<string> = new Set(
  Object.values(migrations).map((Migration) => new Migration().name),
);

/** What the former store has beside it, and the restored one must not have. */
const LEFTOVERS = ['-wal', '-shm', '-journal', '-marks'];

/**
 * Puts a copy of the backup `file` in the place of the SQLite store at `path`, after it has checked it.
 *
 * @throws Error with the reason in one sentence; the store is as it was then.
 */
export async function restore(file: string, path: string, { overwrite = false } = {}): Promise<Backup> {
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`);
  if (isPartOfStore(file, path)) throw new Error(`The file ${file} is a part of the store itself.`);
  for (const log of [`${file}-wal`, `${file}-journal`])
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new Error(`The file ${file} is not a finished backup: a part of it is in ${log}.`);
  if (existsSync(path) && !overwrite) throw new Error(`The store ${path} exists already.`);
  if (SoleServiceCheck.isServed(path)) throw new Error(`A service uses ${path}: stop it first.`);
  mkdirSync(dirname(path), { recursive: true });
  const target = existsSync(path) ? realpathSync(path) : path;
  let rows: RowCounts = {};
  const finished = await finishFile(target, async (partial) => {
    copyFileSync(file, partial);
    chmodSync(partial, 0o600);
    belongTo(partial, existsSync(target) ? target : dirname(target));
    rows = check(partial, file);
    closeLog(target);
  });
  // If this is as far as it gets, the next start refuses the log, because the restored file has none.
  for (const suffix of LEFTOVERS) rmSync(target + suffix, { force: true });
  await syncFolder(target);
  return { ...finished, rows };
}

/** What root restores has to be of use to the user of the service. */
function belongTo(file: string, model: string): void {
  const { uid, gid } = statSync(model);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

function check(path: string, name: string): RowCounts {
  try {
    const store = new Database(path);
    try {
      store.pragma('journal_mode = DELETE');
      checkVersion(store);
      checkIntegrity(store);
      return countRows(store);
    } finally {
      store.close();
    }
  } catch (error) {
    throw new Error(`The file ${name} cannot be restored. ${reasonOf(error)}`, { cause: error });
  }
}

function checkVersion(store: Database.Database): void {
  const executed = store.prepare<[], string>('SELECT name FROM migrations ORDER BY timestamp').pluck().all();
  if (!executed.some((name) => KNOWN_MIGRATIONS.has(name))) throw new Error('It is not a plant store.');
  const unknown = executed.find((name) => !KNOWN_MIGRATIONS.has(name));
  if (unknown === undefined) return;
  throw new Error(`It was written by a newer version of plant-store: it has the migration ${unknown}.`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof Database.SqliteError)) return error.message;
  if (error.code === 'SQLITE_NOTADB' || /no such (table|column)/.test(error.message))
    return 'It is not a plant store.';
  return `It is damaged: ${error.message}.`;
}

/** Makes one file of the former store and its log, unless that is damaged: whatever happens next, it is not torn apart. */
function closeLog(path: string): void {
  if (!existsSync(path)) return;
  let store: Database.Database | undefined;
  try {
    store = new Database(path, { timeout: 0 });
    store.pragma('journal_mode = DELETE');
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new Error(`Another process uses ${path}: stop it first.`, { cause: error });
  } finally {
    store?.close();
  }
}
