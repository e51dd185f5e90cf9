import { QueryFailedError } from 'typeorm';

/**
 * Result codes of SQLite whose cause is outside the request: another process holds the lock, the disk is full, the file cannot
 * be reached or is corrupt, a transaction was idle for too long (https://sqlite.org/rescode.html).
 */
const SQLITE_OUTSIDE = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|CORRUPT|NOTADB|ABORT_ROLLBACK)/;

/**
 * Such codes of PostgreSQL: the connection (08), the log-in (28, 3D), a deadlock or another conflict (40), resources (53), what
 * an operator or a timeout ended (57), the system (58), a lock (55P03), a standby (25006), a transaction that was idle for too
 * long (25P03) (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const POSTGRES_OUTSIDE = /^(08|28|3D|40|53|57|58)...$|^(55P03|25006|25P03)$/;

/** PostgreSQL undoes a statement because of another one: a serialization failure, a deadlock. */
const CONFLICT = /^40(001|P01)$/;

/**
 * Messages whose code is missing or XX000: lost connections, of TypeORM, the driver and the PostgreSQL server; then what Citus says
 * of a node that it cannot use, in its directories `connection`, `executor`, `metadata`, `planner` and `transaction`.
 */
const OUTSIDE_BY_MESSAGE = new RegExp(
  '^(Query read timeout|Query runner already released|Connection terminated|timeout exceeded|Client (was|has))|' +
    'SSL SYSCALL error|server closed the connection|postmaster was shut down|failure on connection|connection failures|' +
    'connection to the remote node|connection state machine|could not commit transaction for shard|failed to prepare transaction|' +
    'could not connect to any|could not find an available connection|cannot connect to|failed to read result|' +
    'node group \\d+|(any|active) (shard )?placements|failed to assign',
);

/** A primary key, in the name of a constraint or in a message with the name. A shard adds its number to the name. */
const PRIMARY_KEY = /_pkey(_\d+)?(?!\w)/;

/** The rules of a schema that a statement can break. */
export type Violation = 'key' | 'unique' | 'missing reference' | 'still referenced' | 'value';

const VIOLATIONS: readonly [code: RegExp, violation: Violation][] = [
  [/^SQLITE_CONSTRAINT_(PRIMARYKEY|ROWID)$/, 'key'],
  [/^(23505|SQLITE_CONSTRAINT_UNIQUE)$/, 'unique'],
  [/^(23503|SQLITE_CONSTRAINT_FOREIGNKEY)$/, 'missing reference'],
  [/^23001$/, 'still referenced'],
  [/^(23502|23514|SQLITE_CONSTRAINT_(CHECK|NOTNULL))$/, 'value'],
];

interface DriverError extends Error {
  readonly code?: string;
  /** Of PostgreSQL. */
  readonly severity?: string;
  readonly constraint?: string;
}

/** The rule of the schema that a statement has broken; undefined when it failed for another reason. */
export function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code = '', message, constraint = message } = error.driverError as DriverError;
  // For SQLite, `ON DELETE RESTRICT` is a trigger.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && message.startsWith('FOREIGN KEY')) return 'still referenced';
  const [, violation] = VIOLATIONS.find(([known]) => known.test(code)) ?? [];
  if (violation === 'unique' && PRIMARY_KEY.test(constraint)) return 'key';
  // Both databases have one code for either end of a reference.
  if (violation === 'missing reference' && /^\s*DELETE\b/i.test(error.query)) return 'still referenced';
  return violation;
}

/** Another instance has changed a row in the middle of a transaction. */
export const OVERTAKEN = new Error('Another instance was faster.');

/** Whether another instance was faster, so that everything must be decided again. */
export function isOvertaken(error: unknown): boolean {
  if (error === OVERTAKEN || violationOf(error) === 'key') return true;
  return error instanceof QueryFailedError && CONFLICT.test((error.driverError as DriverError).code ?? '');
}

/** Whether an error says that the database cannot be used now, although nothing is wrong with the request. */
export function isStoreUnavailable(error: unknown): boolean {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof Error)) return false;
  const { code, syscall = '', severity = '', message } = cause as NodeJS.ErrnoException & DriverError;
  // The session has ended, and with it whatever the statement had begun.
  if (/^(FATAL|PANIC)$/.test(severity)) return true;
  if (code === undefined || code === 'XX000') return OUTSIDE_BY_MESSAGE.test(message);
  const isOfTheNetwork =
    /^(connect|read|write|getaddrinfo)$/.test(syscall) || /^(ECONNREFUSED|EPIPE)$/.test(code);
  return isOfTheNetwork || SQLITE_OUTSIDE.test(code) || POSTGRES_OUTSIDE.test(code);
}
