import { Injectable, Optional } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { SqliteDataSource } from '../database/sqlite/sqlite-data-source.js';
import { GroupCommit, KEPT_FAILURES } from './group-commit.js';
import { Sites } from './sites.js';

/** Why a service that reads may be degraded: each reason with its meaning. */
export const REASONS = {
  disk_full: 'the disk of the database is full',
  read_only: 'the database is read-only',
  locked: 'another process keeps the database locked',
  write_error: 'the disk of the database fails writes',
  corrupt: 'the database file is corrupt',
  detour: 'a server of the database is reached only through another one, if at all',
} as const;

export type Reason = keyof typeof REASONS;

/** Milliseconds for which a failed write counts if nothing else writes. */
const MEMORY_MS = 30_000;

/** Error codes of SQLite and PostgreSQL, by their first characters, with which writes fail but reads may succeed. */
const WRITE_FAILURES: readonly [code: RegExp, reason: Reason][] = [
  [/^(SQLITE_FULL|53100)/, 'disk_full'],
  [/^(SQLITE_READONLY|25006)/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^(SQLITE_(IOERR|CANTOPEN)|58030)/, 'write_error'],
];

/** Knows why the service is degraded. */
@Injectable()
export class Degradation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly commits: GroupCommit,
    @Optional() private readonly sites?: Sites,
  ) {}

  /** Undefined while all is well. A lock comes and goes, so it counts even after a success if several recent batches have met it. */
  get reason(): Reason | undefined {
    if (this.dataSource instanceof SqliteDataSource && this.dataSource.guard.corruption) return 'corrupt';
    const reason = this.commits.all.map(reasonOf).find((found) => found !== undefined);
    return reason ?? (this.sites?.isDetoured ? 'detour' : undefined);
  }
}

function reasonOf({ failures, isFailing }: GroupCommit): Reason | undefined {
  const recent = failures.filter(({ at }) => performance.now() - at <= MEMORY_MS);
  const cause = recent.at(-1)?.cause;
  const error = cause instanceof QueryFailedError ? cause.driverError : cause;
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const [, reason] = WRITE_FAILURES.find(([pattern]) => pattern.test(code)) ?? [];
  return isFailing || (reason === 'locked' && recent.length === KEPT_FAILURES) ? reason : undefined;
}
