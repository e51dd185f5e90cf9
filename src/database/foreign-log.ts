import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { DatabaseStartError } from './database-start.error.js';

/** Byte of the header that says how a database file is written, and its value for one with a log (https://www.sqlite.org/fileformat2.html). */
const [WRITE_VERSION, WITH_LOG] = [18, 2];

/** Bytes of a log that contains no page. */
const LOG_HEADER_LENGTH = 32;

/**
 * Refuses a backup that was copied over a store whose service was killed, and a file that was emptied.
 *
 * SQLite would replay the log of the former file and destroy the new one, or drop the log. Backups are files without a log
 * (`plant-store backup`, `VACUUM INTO`), so one beside a log gives itself away.
 *
 * @throws DatabaseStartError, before anything has opened the file.
 */
export function refuseForeignLog(path: string): void {
  if (!existsSync(path)) return;
  const file = realpathSync(path);
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size <= LOG_HEADER_LENGTH || writeVersionOf(file) === WITH_LOG) return;
  throw new DatabaseStartError(
    `The database file ${file} was replaced, and ${file}-wal belongs to the file before it. ` +
      `Move ${file} elsewhere, and restore it from there with: plant-store restore <file>.`,
  );
}

function writeVersionOf(path: string): number | undefined {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(WRITE_VERSION + 1);
    readSync(file, header);
    return header[WRITE_VERSION];
  } finally {
    closeSync(file);
  }
}
