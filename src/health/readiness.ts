import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { type ApiException, unavailable } from '../errors/api.exception.js';
import { ImpatienceError, patiently } from '../limits/patience.js';
import { isStoreUnavailable } from '../store/database-errors.js';
import type { HealthDto } from './health.dto.js';
import { Impairment, type Reason, REASONS } from './impairment.js';

/** Knows whether the service can serve requests: its database answers, and it is not about to stop. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Readiness.name);
  private isStopping = false;
  /** Why it was degraded when it was last asked. */
  private reason: Reason | undefined;
  private readonly askServer = patiently(() => this.dataSource.query('SELECT 1'));
  private readonly askTables = patiently(() => this.dataSource.query(`SELECT ${this.tables().join()}`));

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
    private readonly impairment: Impairment,
  ) {}

  /** @throws ApiException 50300 when the service cannot serve requests. */
  async check(): Promise<HealthDto> {
    if (this.isStopping) throw unavailable('The service is stopping.');
    const reason = (await this.areTablesThere()) ? await this.impairment.reason() : 'tables_unreachable';
    if (reason !== this.reason) this.report(reason);
    this.reason = reason;
    return reason === undefined ? { status: 'ok' } : { status: 'degraded', reason };
  }

  /** Goes on serving for a moment, so that a load balancer sees that this instance leaves before it has left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await sleep(this.settings.timeouts.shutdownDelay);
  }

  /** @throws ApiException 50300 when the database does not answer. */
  private async areTablesThere(): Promise<boolean> {
    const [server, store] = await Promise.allSettled([this.askServer(), this.askTables()]);
    if (server.status === 'rejected') throw noAnswer(server.reason);
    if (store.status === 'fulfilled') return true;
    if (this.isOfAPart(store.reason)) return false;
    throw noAnswer(store.reason);
  }

  private report(reason: Reason | undefined): void {
    if (reason === undefined) this.logger.log('The service is not degraded any more.');
    else this.logger.warn(`The service is degraded (${reason}): ${REASONS[reason]}.`);
  }

  private tables(): string[] {
    return this.dataSource.entityMetadatas.map(({ tableName }) => `EXISTS (SELECT 1 FROM "${tableName}")`);
  }

  /**
   * Whether tables that cannot be reached may be only a part of them. A distributed engine loses single servers: if every
   * instance were not ready then, a load balancer would take out the whole service.
   */
  private isOfAPart(error: unknown): boolean {
    return (
      this.settings.database.type === 'postgres' &&
      (error instanceof ImpatienceError || isStoreUnavailable(error))
    );
  }
}

function noAnswer(cause: unknown): ApiException {
  return unavailable('The database does not answer.', cause);
}
