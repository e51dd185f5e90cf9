import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { QueryFailedError } from 'typeorm';
import type { DatabaseSettings } from '../config/settings.js';

/** Names the database for a person, without the credentials and parameters of its address. */
export function describeDatabase(database: DatabaseSettings): string {
  if (database.type === 'sqlite') return database.path;
  const urls = database.urls.map((url) => new URL(url));
  return `PostgreSQL at ${urls.map(({ host }) => host).join()}${urls[0]?.pathname}`;
}

/** Reasons by the first characters of an error code of SQLite, PostgreSQL or the system, and of the message after it. */
const REASONS: readonly [code: string, reason: string][] = [
  ['SQLITE_BUSY', 'is locked by another process'],
  ['SQLITE_CORRUPT', 'is corrupt'],
  ['SQLITE_NOTADB', 'is not a SQLite database'],
  ['SQLITE_READONLY_DBMOVED', 'was replaced while it was opened: start again'],
  ['SQLITE_READONLY', 'is read-only'],
  ['SQLITE_CANTOPEN', 'cannot be opened'],
  ['SQLITE_IOERR', 'cannot be read or written'],
  ['28', 'refuses the user or the password'],
  ['3D000', 'does not exist'],
  ['42501', 'may not be changed by this user'],
  ['25006', 'is a standby, or read-only'],
  ['55P03', 'is in use by a transaction that keeps its schema from changing'],
  [
    '08P01 unsupported startup parameter',
    'refuses the settings of a connection: PgBouncer needs ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, options',
  ],
  ['53300', 'has no connection left'],
  ['57P01', 'ends its connections: it is stopping'],
  ['57P03', 'is starting or stopping'],
  ['ECONNREFUSED', 'cannot be reached: nothing listens there'],
  ['ENOTFOUND', 'cannot be reached: its host does not exist'],
  ['EAI_AGAIN', 'cannot be reached: the name of its host cannot be looked up'],
];

/** Codes of errors that missing rights may cause. */
const DENIALS = /^(SQLITE_(CANTOPEN|READONLY)$|EACCES|EPERM|EROFS)/;

/** The database cannot be used, so the service does not start; the message says why in one sentence. */
export class DatabaseStartError extends Error {
  /** Turns an error of the system or the database into one sentence. */
  static from(error: unknown, database: DatabaseSettings): DatabaseStartError {
    if (error instanceof DatabaseStartError) return error;
    const cause = error instanceof QueryFailedError ? error.driverError : error;
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const [, reason] = REASONS.find(([known]) => `${code} ${message}`.startsWith(known)) ?? [];
    const subject = database.type === 'sqlite' ? 'The database file' : 'The database';
    const rights = database.type === 'sqlite' && DENIALS.test(code) ? rightsOf(database.path) : '';
    return new DatabaseStartError(
      `${subject} ${describeDatabase(database)} ${reason ?? `cannot be used: ${message}`}${rights}.`,
      { cause: error },
    );
  }
}

/** Whose the file, the files beside it and the nearest folder are, and who this process is. */
function rightsOf(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const owners = [path, `${path}-wal`, `${path}-shm`, folder].filter(existsSync).map((place) => {
    const status = statSync(place);
    const { uid, gid, mode } = status;
    const kind = place === path && status.isDirectory() ? 'is a folder and ' : '';
    return `${place} ${kind}belongs to user ${uid} and group ${gid}, with mode 0${(mode & 0o777).toString(8)}`;
  });
  return `: ${owners.join('; ')}; the service runs as user ${process.geteuid?.()} and group ${process.getegid?.()}`;
}
