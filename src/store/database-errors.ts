import { QueryFailedError } from 'typeorm';

/**
 * Result codes of SQLite that pass when their cause outside the service does: another process holds the lock, the disk
 * is full, the file became read-only or cannot be reached, or a transaction was idle for too long (https://sqlite.org/rescode.html).
 */
const SQLITE_PASSING = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|ABORT_ROLLBACK)/;

/**
 * The same of PostgreSQL: the connection (08), the log-in (28, 3D), a deadlock or another conflict (40), resources (53),
 * what an operator or a timeout ended (57), the system (58), a lock (55P03), a standby (25006), a transaction that was idle
 * for too long (25P03) (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const POSTGRES_PASSING = /^(08|28|3D|40|53|57|58)...$|^(55P03|25006|25P03)$/;

/** Those of them with which PostgreSQL undoes a statement because of another one: a deadlock, a serialization failure. */
const CONFLICT = /^40(001|P01)$/;

/** The code of PostgreSQL for what has none: an internal error. */
const INTERNAL_ERROR = 'XX000';

/**
 * What is said without a code when a connection was lost or could not be had: by TypeORM and the driver of PostgreSQL, and by
 * Citus of a connection to a worker, when nobody knows what has become of a write.
 */
const LOST_CONNECTION =
  /^(Query read timeout|Query runner already released|Connection terminated|timeout exceeded|Client (was|has))|failure on connection|connection to the remote node|SSL SYSCALL error|server closed the connection/;

/** The rules of a schema that a statement can break. */
export type Violation = 'key' | 'unique' | 'missing reference' | 'still referenced' | 'value';

/** Codes of broken rules. */
const VIOLATIONS: readonly [code: RegExp, violation: Violation][] = [
  [/^SQLITE_CONSTRAINT_(PRIMARYKEY|ROWID)$/, 'key'],
  [/^(23505|SQLITE_CONSTRAINT_UNIQUE)$/, 'unique'],
  [/^(23503|SQLITE_CONSTRAINT_FOREIGNKEY)$/, 'missing reference'],
  [/^23001$/, 'still referenced'],
  [/^(23502|23514|SQLITE_CONSTRAINT_(CHECK|NOTNULL))$/, 'value'],
];

interface DriverError extends Error {
  readonly code?: string;
  readonly constraint?: string;
}

/** Which rule of the schema a statement has broken; undefined when it failed for another reason. */
export function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code = '', constraint = '', message } = error.driverError as DriverError;
  // For SQLite, `ON DELETE RESTRICT` is a trigger.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && message.startsWith('FOREIGN KEY')) return 'still referenced';
  const [, violation] = VIOLATIONS.find(([known]) => known.test(code)) ?? [];
  if (violation === 'unique' && constraint.endsWith('_pkey')) return 'key';
  // Both databases have one code for either end of a reference.
  if (violation === 'missing reference' && /^\s*DELETE\b/i.test(error.query)) return 'still referenced';
  return violation;
}

/** Whether the database has undone a statement that may succeed when it is tried again at once. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, CONFLICT);
}

/** Whether an error says that the database cannot be used now, although nothing is wrong with the request. */
export function isStoreUnavailable(error: unknown): boolean {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof Error)) return false;
  const { code, syscall, message } = cause as NodeJS.ErrnoException;
  if (code === undefined || code === INTERNAL_ERROR) return LOST_CONNECTION.test(message);
  return SQLITE_PASSING.test(code) || POSTGRES_PASSING.test(code) || isOfTheNetwork(syscall, code);
}

/** The system could not reach the server, or lost it. */
function isOfTheNetwork(syscall: string | undefined, code: string): boolean {
  return (
    /^(connect|read|write|getaddrinfo)$/.test(syscall ?? '') || code === 'ECONNREFUSED' || code === 'EPIPE'
  );
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return error instanceof QueryFailedError && codes.test((error.driverError as { code?: string }).code ?? '');
}
