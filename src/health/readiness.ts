import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { Settings } from '../config/settings.js';
import { unavailable } from '../errors/api.exception.js';
import { patiently } from '../limits/patience.js';
import { GroupCommit } from '../store/group-commit.js';
import { type HealthDto, type Reason, REASONS } from './health.dto.js';

/** Milliseconds for which a failed write counts if nothing else writes. */
const MEMORY_MS = 30_000;

/** The first characters of codes of SQLite and PostgreSQL with which writes fail while reads may go on. */
const WRITE_FAILURES: readonly [code: RegExp, reason: Reason][] = [
  [/^(SQLITE_FULL|53100)/, 'disk_full'],
  [/^(SQLITE_READONLY|25006)/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^(SQLITE_(IOERR|CANTOPEN)|58030)/, 'write_error'],
];

/** Knows whether the service can serve requests: its database answers, and it is not about to stop. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Readiness.name);
  private isStopping = false;
  /** Why it was degraded when it was last asked. */
  private reason: Reason | undefined;
  /** Reads a table, because SQLite needs no file for `SELECT 1`. This one is on the coordinator of a cluster. */
  private readonly askDatabase = patiently(() => this.dataSource.query('SELECT id FROM migrations LIMIT 1'));

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
    private readonly commits: GroupCommit,
  ) {}

  /** @throws ApiException 50300 when the service cannot serve requests. */
  async check(): Promise<HealthDto> {
    if (this.isStopping) throw unavailable('The service is stopping.');
    try {
      await this.askDatabase();
    } catch (error) {
      throw unavailable('The database does not answer.', error);
    }
    const reason = this.whyWritesFail();
    if (reason !== this.reason) this.report(reason);
    this.reason = reason;
    return reason === undefined ? { status: 'ok' } : { status: 'degraded', reason };
  }

  /** Goes on serving for a moment, so that a load balancer sees that this instance leaves before it has left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await sleep(this.settings.timeouts.shutdownDelay);
  }

  private whyWritesFail(): Reason | undefined {
    const { failure } = this.commits;
    if (failure === undefined || performance.now() - failure.at > MEMORY_MS) return undefined;
    const { cause } = failure;
    const error = cause instanceof QueryFailedError ? cause.driverError : cause;
    const { code = '' } = error as NodeJS.ErrnoException;
    return WRITE_FAILURES.find(([pattern]) => pattern.test(code))?.[1];
  }

  private report(reason: Reason | undefined): void {
    if (reason === undefined) this.logger.log('The service is not degraded any more.');
    else this.logger.warn(`The service is degraded (${reason}): ${REASONS[reason]}.`);
  }
}
