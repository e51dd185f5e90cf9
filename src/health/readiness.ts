import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { unavailable } from '../errors/unavailable.js';

/** Milliseconds that the database may take to answer; one that takes longer does not serve requests either. */
const PATIENCE_MS = 1_000;

/** Knows whether the service can serve requests: its database answers, and it is not about to stop. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private isStopping = false;
  private question: Promise<unknown> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
  ) {}

  /** @throws ApiException 50300 when the service cannot serve requests. */
  async check(): Promise<void> {
    if (this.isStopping) throw unavailable('The service is stopping.');
    try {
      await Promise.race([this.ask(), impatience()]);
    } catch (error) {
      throw unavailable('The database does not answer.', error);
    }
  }

  /** Goes on serving for a moment, so that a load balancer sees that this instance leaves before it has left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await sleep(this.settings.timeouts.shutdownDelay);
  }

  /** Probes share one question: a database that does not answer is not asked by each of them. */
  private ask(): Promise<unknown> {
    const tables = this.dataSource.entityMetadatas.map(
      ({ tableName }) => `EXISTS (SELECT 1 FROM "${tableName}")`,
    );
    return (this.question ??= this.dataSource
      .query(`SELECT ${tables.join()}`)
      .finally(() => (this.question = undefined)));
  }
}

async function impatience(): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new Error(`No answer within ${PATIENCE_MS} ms.`);
}
