import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DatabaseStartError } from '../database-start.error.js';

/** Bytes of a log that contains no page, and what they begin with. */
const LOG_HEADER_LENGTH = 32;
const LOG_MAGIC = 0x377f0682;

/** Returns the device and inode of a file, or undefined. They change when another file takes its name. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Refuses a store of which a part is missing or damaged, or belongs to another store.
 *
 * SQLite would drop a log that it cannot read, or replay it into the wrong file. A store that was not closed is read as a
 * whole, which takes about 0.3 s for a million plants. This process may not have it open: closing one of the files here
 * would drop its locks (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 *
 * @throws DatabaseStartError with the reason and the way out.
 */
export async function requireWholeStore(path: string): Promise<void> {
  // Another process may be making it at this moment.
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
        `Move ${file} elsewhere, and restore it from there with: plant-store restore <file>.`,
    );
  const lost = lostPages(file, hasLog);
  if (lost > 0)
    throw new DatabaseStartError(
      `The log ${log} is ${hasLog ? 'damaged' : 'missing or empty'}: ${lost} pages of it cannot be read, with the last writes of a ` +
        'service that was not stopped. Put it back, or restore a backup with: plant-store restore <file> --overwrite. ' +
        `To go on without them, move ${file} elsewhere and restore it from there.`,
    );
  if (hasLog) requireReadablePages(file);
}

function requireReadablePages(file: string): void {
  const database = new Database(file, { readonly: true });
  try {
    // Not the index of a search as a whole, which takes ten times as long: its pages belong to tables, too.
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
 * Returns how many committed pages of the log cannot be read. SQLite itself takes the first of them for the end of the log.
 *
 * The index of the log has the number of committed pages, and is written after they are on disk
 * (https://www.sqlite.org/walformat.html, sections 2 and 4).
 */
function lostPages(file: string, hasLog: boolean): number {
  const index = readStart(`${file}-shm`, 96);
  const pages = index.readUInt32LE(16);
  // The index has its header twice. A writer that was killed between them has committed nothing.
  if (pages === 0 || !index.subarray(0, 48).equals(index.subarray(48))) return 0;
  const lost = pages - (hasLog ? readablePages(`${file}-wal`, pages, index.subarray(32, 40)) : 0);
  // A service that is running may have begun the log anew meanwhile.
  return readStart(`${file}-shm`, 96).equals(index) ? lost : 0;
}

/** Returns how many pages at the beginning of the log are whole, or all of them if it is not the log with these salts. */
function readablePages(log: string, pages: number, salts: Buffer): number {
  const file = openSync(log, 'r');
  try {
    const header = Buffer.alloc(LOG_HEADER_LENGTH);
    readSync(file, header);
    let sums = checksum([0, 0], header.subarray(0, 24));
    if (!startsAsLog(log) || !isEqual(sums, header.subarray(24))) return 0;
    // After a power failure, the index may be that of an older log.
    if (!header.subarray(16, 24).equals(salts)) return pages;
    const frame = Buffer.alloc(24 + header.readUInt32BE(8));
    for (let page = 0; page < pages; page += 1) {
      if (readSync(file, frame) < frame.length || !frame.subarray(8, 16).equals(salts)) return page;
      sums = checksum(checksum(sums, frame.subarray(0, 8)), frame.subarray(24));
      if (!isEqual(sums, frame.subarray(16))) return page;
    }
    return pages;
  } finally {
    closeSync(file);
  }
}

/** Whether a log has the beginning of one if it has a page. A log that was emptied while it was written to has not. */
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

/** The first bytes of a file; what it does not have is 0. */
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
