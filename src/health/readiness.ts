import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import type { ApiException } from '../errors/api.exception.js';
import { unavailable } from '../errors/unavailable.js';
import { isStoreUnavailable } from '../store/store-unavailable.js';

/** Milliseconds that the database may take to answer; one that takes longer does not serve requests either. */
const PATIENCE_MS = 1_000;

/** What the service can do: everything, or what touches no part of the store that is out of reach. */
export type Ability = 'ok' | 'degraded';

/** Knows whether the service can serve requests: its database answers, and it is not about to stop. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private isStopping = false;
  private readonly asked = new Map<string, Promise<unknown>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
  ) {}

  /** @throws ApiException 50300 when the service cannot serve requests. */
  async check(): Promise<Ability> {
    if (this.isStopping) throw unavailable('The service is stopping.');
    const tables = this.dataSource.entityMetadatas.map(
      ({ tableName }) => `EXISTS (SELECT 1 FROM "${tableName}")`,
    );
    const [server, store] = await Promise.allSettled([
      this.ask('SELECT 1'),
      this.ask(`SELECT ${tables.join()}`),
    ]);
    if (server.status === 'rejected') throw noAnswer(server.reason);
    if (store.status === 'fulfilled') return 'ok';
    if (this.isOfAPart(store.reason)) return 'degraded';
    throw noAnswer(store.reason);
  }

  /** Goes on serving for a moment, so that a load balancer sees that this instance leaves before it has left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await sleep(this.settings.timeouts.shutdownDelay);
  }

  /** Probes share a question: a database that does not answer is not asked by each of them. */
  private ask(question: string): Promise<unknown> {
    let answer = this.asked.get(question);
    if (answer === undefined) {
      answer = this.dataSource.query(question).finally(() => this.asked.delete(question));
      this.asked.set(question, answer);
    }
    return Promise.race([answer, impatience()]);
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

class ImpatienceError extends Error {}

function noAnswer(cause: unknown): ApiException {
  return unavailable('The database does not answer.', cause);
}

async function impatience(): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new ImpatienceError(`No answer within ${PATIENCE_MS} ms.`);
}
