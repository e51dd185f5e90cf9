import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DatabaseStartError } from '../database-start.error.js';

/** The length of the header of a log, and its first bytes. */
const LOG_HEADER_LENGTH = 32;
const LOG_MAGIC = 0x377f0682;

/** How often a log may have restarted since the system last wrote its index to disk, with a large margin. */
const MAX_BEGINNINGS = 100_000;

/** Returns the device and inode of a file, or undefined. They change if another file takes its name. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Refuses a store if a part of it is missing, damaged or from another store.
 *
 * SQLite would drop an unreadable log, or replay it into the wrong file. After a crash, the whole store is read, which takes
 * about 0.3 s for a million plants. This process must not have the store open yet: closing a file here would drop its locks
 * (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 *
 * @throws DatabaseStartError with the reason and how to repair it.
 */
export async function requireWholeStore(path: string): Promise<void> {
  // Another process may be creating it right now.
  for (let look = 0; look < 20 && sizeOf(path) === 0; look += 1) await sleep(50);
  const file = existsSync(path) ? realpathSync(path) : path;
  const log = `${file}-wal`;
  const size = sizeOf(file);
  const hasLog = (sizeOf(log) ?? 0) > LOG_HEADER_LENGTH;
  if (!size && hasLog)
    throw new DatabaseStartError(
      `The database file ${file} is missing or empty, and its log ${log} is not. Put the file back, or move the log ` +
        'elsewhere and restore a backup with: plant-store restore <file> --overwrite.',
    );
  if (size === 0)
    throw new DatabaseStartError(
      `The database file ${file} is empty. Remove it to begin a new store, or restore a backup with: ` +
        'plant-store restore <file> --overwrite.',
    );
  if (size === undefined) return;
  if (hasLog && !usesLog(file))
    throw new DatabaseStartError(
      `The database file ${file} was replaced, and ${log} belongs to the file before it. ` +
        `Move ${file} elsewhere, and restore it from there with: plant-store restore <file> --overwrite.`,
    );
  const journal = `${file}-journal`;
  if (hasLog && readStart(journal, 1)[0] !== 0)
    throw new DatabaseStartError(
      `The journal ${journal} does not belong to the store, which has a log instead. Move ${journal} elsewhere.`,
    );
  const fault = faultOfLog(file, hasLog);
  if (fault !== undefined)
    throw new DatabaseStartError(
      `The log ${log} is ${fault}: it lacks the last writes of a service that was not stopped. ` +
        'Put it back, or restore a backup with: plant-store restore <file> --overwrite. ' +
        `To go on without them, move ${file} elsewhere and restore it from there the same way.`,
    );
  if (hasLog) requireReadablePages(file);
}

/** Makes a store private to its user, and removes files of earlier versions. */
export function makePrivate(path: string): void {
  for (const file of ['', '-wal', '-shm'].map((suffix) => path + suffix)) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.uid === process.getuid?.()) chmodSync(file, stats.mode & 0o700);
  }
  for (const suffix of ['-lock', '-marks']) rmSync(path + suffix, { force: true });
}

function requireReadablePages(file: string): void {
  const database = new Database(file, { readonly: true });
  try {
    // A check of the whole full-text index takes ten times as long. Its pages belong to tables, which are checked.
    const tables = database.prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
    );
    const problem = tables
      .all()
      .map(({ name }) => database.pragma(`quick_check("${name}")`, { simple: true }) as string)
      .find((result) => result !== 'ok');
    if (problem !== undefined)
      throw new DatabaseStartError(
        `The database file ${file} is corrupt: ${problem.replaceAll(/\s+/g, ' ')}. ` +
          'Restore a backup with: plant-store restore <file> --overwrite.',
      );
  } finally {
    database.close();
  }
}

/**
 * Returns why the log lacks committed pages, if it does. SQLite treats the first damaged page as the end of the log, and
 * cannot tell an older log from the current one.
 *
 * The index of the log contains the checksum of the last committed page, and is written after that page is on disk
 * (https://www.sqlite.org/walformat.html, sections 2 and 4).
 */
function faultOfLog(file: string, hasLog: boolean): string | undefined {
  const readStarts = () =>
    [readStart(`${file}-shm`, 96), readStart(`${file}-wal`, LOG_HEADER_LENGTH)] as const;
  const [index, header] = readStarts();
  // The index has two copies of its header. A writer that was killed between them has committed nothing.
  if (!index.subarray(0, 48).equals(index.subarray(48))) return undefined;
  const isEmpty = index.readUInt32LE(16) === 0;
  if (!hasLog) return isEmpty ? undefined : 'missing or empty';
  const last: Sums = [index.readUInt32LE(24), index.readUInt32LE(28)];
  // The log never had a page.
  if (isEmpty && last[0] === 0 && last[1] === 0) return undefined;
  const fault = faultBefore(`${file}-wal`, header, index.subarray(32, 40), last, isEmpty);
  // A running service may have restarted the log meanwhile.
  return Buffer.concat(readStarts()).equals(Buffer.concat([index, header])) ? fault : undefined;
}

/**
 * Returns what is wrong with a log up to the page with the checksum `last`.
 *
 * @param salts the salts of the index. SQLite increments the first whenever it restarts the log.
 * @param isEmpty whether the log has restarted and its index has no page. All earlier pages are then in the database file.
 */
function faultBefore(
  log: string,
  header: Buffer,
  salts: Buffer,
  last: Sums,
  isEmpty: boolean,
): string | undefined {
  let sums = checksum([0, 0], header.subarray(0, 24));
  // SQLite ignores such a log.
  if (!startsAsLog(log) || !isEqual(sums, header.subarray(24))) return isEmpty ? undefined : 'damaged';
  const own = header.subarray(16, 24);
  const beginnings = (own.readUInt32BE(0) - salts.readUInt32BE(0)) | 0;
  // After a power failure, the index may belong to an older log.
  if (beginnings > 0 && beginnings < MAX_BEGINNINGS) return undefined;
  if (isEmpty && own.equals(salts)) return undefined;
  if (isEmpty ? beginnings !== -1 : !own.equals(salts)) return 'an older copy, or of another store';
  const file = openSync(log, 'r');
  try {
    const page = Buffer.alloc(24 + header.readUInt32BE(8));
    let position = LOG_HEADER_LENGTH;
    do {
      const isRead = readSync(file, page, 0, page.length, position) === page.length;
      if (!isRead || !page.subarray(8, 16).equals(own)) return 'damaged';
      sums = checksum(checksum(sums, page.subarray(0, 8)), page.subarray(24));
      if (!isEqual(sums, page.subarray(16))) return 'damaged';
      position += page.length;
    } while (sums[0] !== last[0] || sums[1] !== last[1]);
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Whether a log is empty or begins with SQLite's magic number. A log that was truncated during a write does not. */
export function startsAsLog(log: string): boolean {
  return (sizeOf(log) ?? 0) <= LOG_HEADER_LENGTH || readStart(log, 4).readUInt32BE(0) === LOG_MAGIC;
}

type Sums = readonly [number, number];

/** Continues a checksum of the log, in the byte order of the machines that the service runs on. */
function checksum([first, second]: Sums, bytes: Buffer): Sums {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let index = 0; index < words.length; index += 2) {
    first = (first + (words[index] ?? 0) + second) >>> 0;
    second = (second + (words[index + 1] ?? 0) + first) >>> 0;
  }
  return [first, second];
}

function isEqual([first, second]: Sums, stored: Buffer): boolean {
  return stored.readUInt32BE(0) === first && stored.readUInt32BE(4) === second;
}

/** Whether SQLite writes to a log beside the file (https://www.sqlite.org/fileformat2.html, section 1.3). */
function usesLog(file: string): boolean {
  return readStart(file, 19)[18] === 2;
}

/** The first bytes of a file, filled up with 0. */
function readStart(path: string, length: number): Buffer {
  const start = Buffer.alloc(length);
  if (!existsSync(path)) return start;
  const file = openSync(path, 'r');
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start;
}

function sizeOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : undefined;
}
