import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteSettings } from '../../config/settings.js';
import { SoleServiceCheck } from '../../database/sole-service-check.js';
import { type Finding, ok, problem, warning } from './finding.js';

const MIB = 1_048_576;
/** Free space at which the next writes may fail. */
const FULL = 64 * MIB;
/** Free space with which there is time to act. */
const SCARCE = 1024 * MIB;
/** A write-ahead log starts anew at 4 MiB, unless a reader needs what is in it. */
const LARGE_LOG = 256 * MIB;

/** The file of a SQLite database, its disk, and the service that may run on it. */
export function* checkFile({ path }: SqliteSettings): Generator<Finding> {
  const folder = dirname(path);
  if (existsSync(folder)) yield* checkDisk(folder, path);
  if (!existsSync(path)) {
    yield problem(
      'database',
      `The database file ${path} does not exist.`,
      'Correct DATABASE_URL, or start the service, which makes it.',
    );
    return;
  }
  const state = SoleServiceCheck.isServed(path)
    ? 'A service runs on this file: do not start another one.'
    : 'No service runs on this file.';
  yield ok('service', state);
}

function* checkDisk(folder: string, path: string): Generator<Finding> {
  if (!mayWrite(folder) || (existsSync(path) && !mayWrite(path)))
    yield problem('disk', `This user may not write to ${path} and its folder.`, 'Give it both.');
  const { bavail, bsize } = statfsSync(folder);
  const [free, database, log] = [bavail * bsize, sizeOf(path), sizeOf(`${path}-wal`)];
  const sizes = `${inMiB(free)} free; the database has ${inMiB(database)}, its write-ahead log ${inMiB(log)}.`;
  if (free < FULL) yield problem('disk', sizes, 'Make room now: writes fail with 503 on a full disk.');
  else if (free < Math.max(SCARCE, database))
    yield warning('disk', sizes, 'Make room for growth and a backup.');
  else if (log > LARGE_LOG)
    yield warning('disk', sizes, 'Let running exports end; if the log stays large, restart the service.');
  else yield ok('disk', sizes, { free, database, log });
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function inMiB(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
