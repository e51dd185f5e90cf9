import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { Settings } from '../config/settings.js';
import { GroupCommit } from '../store/group-commit.js';

/** Why a service cannot do everything, although it serves: each with what that means. */
export const REASONS = {
  tables_unreachable: 'a part of the store does not answer',
  disk_full: 'the disk of the database is full',
  disk_nearly_full: 'the disk of the database has less than 64 MiB left',
  read_only: 'the database is read-only',
  locked: 'another process keeps the database locked',
  write_error: 'the disk of the database fails writes',
} as const;

export type Reason = keyof typeof REASONS;

/** Less is soon used up: the write-ahead log alone takes some MiB, and grows while an export runs. */
const LEAST_FREE_BYTES = 67_108_864;

/** How long a failed write says something of the next one, in milliseconds: nobody may try meanwhile. */
const MEMORY_MS = 30_000;

/** What codes of SQLite and of PostgreSQL say of writes, by how they begin. Reads may go on. */
const WRITE_FAILURES: readonly [code: RegExp, reason: Reason][] = [
  [/^(SQLITE_FULL|53100)/, 'disk_full'],
  [/^(SQLITE_READONLY|25006)/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^(SQLITE_(IOERR|CANTOPEN)|58030)/, 'write_error'],
];

/** Knows why writes fail, or soon will, while reads may go on: from the latest write, and from the disk of an SQLite file. */
@Injectable()
export class Impairment {
  constructor(
    private readonly commits: GroupCommit,
    private readonly settings: Settings,
  ) {}

  /** undefined when there is no reason why writes should fail. */
  async reason(): Promise<Reason | undefined> {
    return this.latestFailure() ?? ((await this.isDiskNearlyFull()) ? 'disk_nearly_full' : undefined);
  }

  private latestFailure(): Reason | undefined {
    const { failure } = this.commits;
    if (failure === undefined || performance.now() - failure.at > MEMORY_MS) return undefined;
    const { cause } = failure;
    const { code = '' } = (
      cause instanceof QueryFailedError ? cause.driverError : cause
    ) as NodeJS.ErrnoException;
    return WRITE_FAILURES.find(([pattern]) => pattern.test(code))?.[1];
  }

  /** A PostgreSQL has disks of its own. */
  private async isDiskNearlyFull(): Promise<boolean> {
    const { database } = this.settings;
    if (database.type !== 'sqlite') return false;
    // A disk that cannot be asked fails the next write.
    const disk = await statfs(dirname(database.path)).catch(() => undefined);
    return disk !== undefined && disk.bavail * disk.bsize < LEAST_FREE_BYTES;
  }
}
