import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SqliteDataSource } from '../database/sqlite/sqlite-data-source.js';
import { GroupCommit } from './group-commit.js';
import { Sites } from './sites.js';

/** What a degraded service fails in, although it reads. */
export const CHECKS = {
  writes: 'the latest write has failed, and the log says why',
  file: 'the database file is corrupt',
  servers: 'a server of the database is reached only through another one, if at all',
} as const;

export type Check = keyof typeof CHECKS;

/** Milliseconds for which a failed write counts if nothing else writes. */
const MEMORY_MS = 30_000;

/** Knows why the service is degraded. */
@Injectable()
export class Degradation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly commits: GroupCommit,
    @Optional() private readonly sites?: Sites,
  ) {}

  /** The failed check; undefined while all is well. */
  get check(): Check | undefined {
    if (this.dataSource instanceof SqliteDataSource && this.dataSource.guard.corruption) return 'file';
    // Of a server that is away, writes fail too.
    if (this.sites?.isDetoured) return 'servers';
    const since = performance.now() - MEMORY_MS;
    return this.commits.all.some(({ failedAt = -Infinity }) => failedAt >= since) ? 'writes' : undefined;
  }
}
