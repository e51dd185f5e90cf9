import { closeSync, existsSync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { DatabaseStartError } from '../database/database-start.error.js';
import { WalMarks } from '../database/wal-marks.js';
import { checkIntegrity, countRows, type RowCounts } from './copy-check.js';
import { type FinishedFile, finishFile } from './finished-file.js';
import { isPartOfStore } from './is-part-of-store.js';

/** A finished copy of a store. */
export interface Backup extends FinishedFile {
  readonly rows: RowCounts;
}

/** Pages that are copied and put on disk at once: 4 MiB. All at once, they would delay a commit of the service by a tenth of a second. */
const PAGES = 1_024;

/** Milliseconds to wait while another process recovers the store. */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Copies the SQLite store at `path` to `file`, as it is at this moment, and checks the copy; services go on meanwhile.
 *
 * @throws Error with the reason in one sentence; `file` is as it was then.
 */
export async function backUp(path: string, file: string, { overwrite = false } = {}): Promise<Backup> {
  if (!existsSync(path)) throw new DatabaseStartError(`The database file ${path} does not exist.`);
  if (!existsSync(dirname(file))) throw new Error(`The folder ${dirname(file)} does not exist.`);
  if (isPartOfStore(file, path)) throw new Error(`The file ${file} is a part of the store itself.`);
  if (existsSync(file) && !(overwrite && statSync(file).isFile()))
    throw new Error(`The file ${file} exists already.`);
  WalMarks.refuseForeignLog(path);
  let rows: RowCounts = {};
  const finished = await finishFile(file, async (partial) => {
    rows = await copy(path, partial);
    check(partial, rows);
  }).catch((error: unknown) => {
    throw error instanceof Database.SqliteError
      ? new Error(`The store ${path} cannot be copied to ${file}: ${error.message}.`, { cause: error })
      : error;
  });
  return { ...finished, rows };
}

/** A transaction keeps the snapshot: without it, SQLite begins the copy anew with each write of another process. */
async function copy(path: string, to: string): Promise<RowCounts> {
  const store = new Database(path, { readonly: true, timeout: LOCK_TIMEOUT_MS });
  // It has digests of tokens.
  const file = openSync(to, 'wx+', 0o600);
  try {
    store.exec('BEGIN');
    const rows = countRows(store);
    const progress = () => {
      fdatasyncSync(file);
      return PAGES;
    };
    await store.backup(to, { progress });
    return rows;
  } finally {
    store.close();
    closeSync(file);
  }
}

function check(path: string, expected: RowCounts): void {
  const copied = new Database(path);
  try {
    // A finished copy is one file, and has no log. That also tells it from a store that had one when its service was killed.
    copied.pragma('journal_mode = DELETE');
    checkIntegrity(copied);
    if (!isDeepStrictEqual(countRows(copied), expected)) throw new Error('The copy has other rows.');
  } finally {
    copied.close();
  }
}
