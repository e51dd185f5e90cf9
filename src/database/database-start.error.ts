import { QueryFailedError } from 'typeorm';
import type { DatabaseSettings } from '../config/settings.js';

/** Names the database for a person, without the credentials and parameters of its address. */
export function describeDatabase(database: DatabaseSettings): string {
  if (database.type === 'sqlite') return database.path;
  const { host, pathname } = new URL(database.url);
  return `PostgreSQL at ${host}${pathname}`;
}

/** Reasons by the first characters of an error code of SQLite, PostgreSQL or the system. */
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
  ['53300', 'has no connection left'],
  ['ECONNREFUSED', 'cannot be reached: nothing listens there'],
  ['ENOTFOUND', 'cannot be reached: its host does not exist'],
  ['EAI_AGAIN', 'cannot be reached: the name of its host cannot be looked up'],
];

/** The database cannot be used, so the service does not start; the message says why in one sentence. */
export class DatabaseStartError extends Error {
  /** Turns an error of the system or the database into one sentence. */
  static from(error: unknown, database: DatabaseSettings): DatabaseStartError {
    if (error instanceof DatabaseStartError) return error;
    const cause = error instanceof QueryFailedError ? error.driverError : error;
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const [, reason] = REASONS.find(([known]) => code.startsWith(known)) ?? [];
    const subject = database.type === 'sqlite' ? 'The database file' : 'The database';
    return new DatabaseStartError(
      `${subject} ${describeDatabase(database)} ${reason ?? `cannot be used: ${message}`}.`,
      { cause: error },
    );
  }
}
