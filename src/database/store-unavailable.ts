import { QueryFailedError } from 'typeorm';

/**
 * Result codes of SQLite that pass when their cause outside the service does: another process holds the lock, the disk
 * is full, the file became read-only or cannot be reached (https://sqlite.org/rescode.html).
 */
const PASSING = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/;

/** Whether an error says that the database cannot be used now, although nothing is wrong with the request. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code } = error.driverError as { code?: unknown };
  return typeof code === 'string' && PASSING.test(code);
}
