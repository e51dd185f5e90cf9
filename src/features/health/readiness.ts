import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Settings } from '../../kernel/config/settings.js';
import { unavailable } from '../../kernel/errors/api.exception.js';
import { sharedWithTimeout } from '../../kernel/database/timeout.js';
import { type Check, CHECKS, Degradation } from '../../kernel/store/degradation.js';

/** The response of a health check that passes; a failed check returns an Error. */
@ApiSchema({ name: 'Health', description: 'A health check that passes.' })
export class HealthDto {
  @ApiProperty({
    enum: ['ok', 'degraded'],
    description:
      '`degraded`: reads succeed, and `check` says what fails. Except for `servers`, writes fail with 503.',
  })
  status: 'ok' | 'degraded';

  @ApiPropertyOptional({
    enum: Object.keys(CHECKS),
    description: `Only with \`degraded\`. ${Object.entries(CHECKS)
      .map(([check, meaning]) => `\`${check}\`: ${meaning}.`)
      .join(' ')}`,
  })
  check?: Check;
}

/** Tells whether the service is ready for requests: its database responds, and it is not stopping. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Readiness.name);
  private isStopping = false;
  /** What failed when the health was last read. */
  private lastCheck: Check | undefined;
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
    const { check } = this.degradation;
    if (check !== this.lastCheck) this.report(check);
    this.lastCheck = check;
    return check === undefined ? { status: 'ok' } : { status: 'degraded', check };
  }

  /** Keeps serving for a moment, so that a load balancer notices before this instance stops. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await sleep(this.settings.timeouts.shutdownDelay);
  }

  private report(check: Check | undefined): void {
    if (check === undefined) this.logger.log('The service is not degraded any more.');
    else this.logger.warn(`The service is degraded (${check}): ${CHECKS[check]}.`);
  }
}
