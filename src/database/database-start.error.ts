import { QueryFailedError } from 'typeorm';

const REASONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'is locked by another process',
  SQLITE_CORRUPT: 'is corrupt',
  SQLITE_NOTADB: 'is not a SQLite database',
  SQLITE_READONLY: 'is read-only',
  SQLITE_CANTOPEN: 'cannot be opened',
  SQLITE_IOERR: 'cannot be read or written',
};

/** The database cannot be used, so the service does not start; the message says why in one sentence. */
export class DatabaseStartError extends Error {
  /** Says what an error of the file system or of SQLite means for the database file at `path`. */
  static from(error: unknown, path: string): DatabaseStartError {
    if (error instanceof DatabaseStartError) return error;
    const cause = error instanceof QueryFailedError ? error.driverError : error;
    const { code, message } = cause as NodeJS.ErrnoException;
    const [primary] = /^SQLITE_[A-Z]+/.exec(code ?? '') ?? [];
    const reason = (primary && REASONS[primary]) ?? `cannot be used: ${message}`;
    return new DatabaseStartError(`The database file ${path} ${reason}.`, { cause: error });
  }
}
