import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../../kernel/config/settings.js';
import { unavailable } from '../../kernel/errors/api.exception.js';
import { sharedWithTimeout } from '../../kernel/database/timeout.js';
import { Degradation, type Reason, REASONS } from '../../kernel/store/degradation.js';
import type { HealthDto } from './health.dto.js';

/** Tells whether the service is ready for requests: its database responds, and it is not stopping. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Readiness.name);
  private isStopping = false;
  /** Why the service was degraded at the last check. */
  private lastReason: Reason | undefined;
  /** Reads a table, because SQLite needs no file for `SELECT 1`. */
  private readonly askDatabase = sharedWithTimeout(() =>
    this.dataSource.query('SELECT id FROM migrations LIMIT 1'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
    private readonly degradation: Degradation,
  ) {}

  /** @throws ApiException 50300 when the service cannot serve requests. */
  async check(): Promise<HealthDto> {
    if (this.isStopping) throw unavailable('The service is stopping.');
    try {
      await this.askDatabase();
    } catch (error) {
      throw unavailable('The database does not answer.', error);
    }
    const reason = this.degradation.reason;
    if (reason !== this.lastReason) this.report(reason);
    this.lastReason = reason;
    return reason === undefined ? { status: 'ok' } : { status: 'degraded', reason };
  }

  /** Keeps serving for a moment, so that a load balancer notices before this instance stops. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await sleep(this.settings.timeouts.shutdownDelay);
  }

  private report(reason: Reason | undefined): void {
    if (reason === undefined) this.logger.log('The service is not degraded any more.');
    else this.logger.warn(`The service is degraded (${reason}): ${REASONS[reason]}.`);
  }
}
