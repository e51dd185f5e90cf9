import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { IRoute } from 'express';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { AccessTokensService } from '../../kernel/auth/access-tokens.service.js';
import {
  type TokenCheck,
  tokenChecks,
  type TokenRefusal,
  TokenVerifier,
} from '../../kernel/auth/token-verifier.js';
import { serviceVersion } from '../../kernel/config/service-version.js';
import { Settings } from '../../kernel/config/settings.js';
import { answeredErrors } from '../../kernel/errors/api.exception.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { Gauge, type GaugeOptions, type Reading } from '../../kernel/logging/gauge.decorator.js';
import { type ClosedRequest, closedRequests } from '../../kernel/logging/access-log.js';
import { CHECKS, Degradation } from '../../kernel/store/degradation.js';
import { type Batch, batches, GroupCommit, refusedWrites } from '../../kernel/store/group-commit.js';
import { sharedReads } from '../../kernel/store/row-batcher.js';
import { Meter } from './meter.js';

/** Causes that are exported as 0 from the start, so that the first refusal is an increase. */
const REFUSALS: readonly (TokenRefusal | 'missing' | 'insufficient_scope')[] = [
  'missing',
  'insufficient_scope',
  'malformed',
  'unknown',
  'expired',
  'revoked',
  'invalid_jwt',
];

/**
 * What the service measures, from its start to its end.
 *
 * The layers below know nothing of it: they publish on channels (`node:diagnostics_channel`), which cost nothing while nobody
 * listens. Channels belong to the process: two services in one process count for each other.
 */
@Injectable()
export class Metrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly meter = new Meter();

  constructor(
    private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly commits: GroupCommit,
    private readonly degradation: Degradation,
    private readonly verifier: TokenVerifier,
    private readonly tokens: AccessTokensService,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Not earlier: a start that fails would never stop listening. */
  onApplicationBootstrap(): void {
    this.measureRequests();
    this.measureErrors();
    this.measureStore();
    this.measureDatabase();
    this.measureTokens();
    this.measureProcess();
    this.measureGauges();
  }

  onApplicationShutdown(): void {
    this.meter.stop();
  }

  /** Returns all metrics in the text format of Prometheus. */
  read(): Promise<string> {
    return Registry.merge([this.meter.registry, processMetrics()]).metrics();
  }

  /**
   * Labels come from the route, so no client can add a series. HEAD counts as its GET, and all requests without a route share
   * one label. Only requests with a valid token count in the durations: probes and strangers are fast whatever the store does.
   */
  private measureRequests(): void {
    const { meter } = this;
    const ended = new Map<string, number>();
    meter.counter(
      'http_requests_total',
      'Requests that have ended, by route and status. The status is 0 if the client left before it had one.',
      ['method', 'route', 'status'],
      // Counted at a scrape: three labels would cost each request 0.8 µs.
      (counter) => {
        counter.reset();
        for (const [key, count] of ended) {
          const [method, route, status] = key.split(' ');
          counter.inc({ method, route, status }, count);
        }
      },
    );
    const durations = meter.histogram(
      'http_request_duration_seconds',
      'Time from the headers of a request to the end of its response, for requests with a valid token.',
      ['method', 'route'],
    );
    meter.listen(closedRequests, ({ request, response, durationMs }: ClosedRequest) => {
      const { path: route = 'none', stack: [handler] = [] } = (request.route ?? {}) as Partial<IRoute>;
      const method = handler?.method.toUpperCase() ?? 'other';
      const key = `${method} ${route} ${response.headersSent ? response.statusCode : 0}`;
      ended.set(key, (ended.get(key) ?? 0) + 1);
      if (request.user !== undefined) durations.observe({ method, route }, durationMs / 1000);
    });
  }

  private measureErrors(): void {
    const { meter } = this;
    const errors = meter.counter('plant_store_errors_total', 'Error records sent, by error value.', [
      'error',
    ]);
    // Alerts need these two from the start: a counter that appears with its first error does not show it as an increase.
    for (const error of [ErrorValue.Unexpected, ErrorValue.Unavailable]) errors.inc({ error }, 0);
    meter.listen(answeredErrors, (error: number) => errors.inc({ error }));
  }

  private measureStore(): void {
    const { meter } = this;
    meter.gauge(
      'plant_store_write_queue_length',
      'Writes that wait for the database.',
      // The limit applies to each queue, so the longest one counts.
      () => Math.max(...this.commits.all.map(({ length }) => length)),
    );
    meter.gauge(
      'plant_store_write_queue_limit',
      'Writes that may wait for the database; more are refused.',
      () => this.commits.limit,
    );
    const refusals = meter.counter(
      'plant_store_write_queue_refusals_total',
      'Writes refused because too many were waiting.',
    );
    meter.listen(refusedWrites, () => refusals.inc());
    const writes = meter.counter('plant_store_batch_writes_total', 'Writes in all batches.');
    const durations = meter.histogram(
      'plant_store_batch_duration_seconds',
      'Time to write a batch of writes and to commit it.',
    );
    meter.listen(batches.asyncEnd, (batch: Batch) => {
      writes.inc(batch.writes.length);
      durations.observe((performance.now() - batch.begunAt) / 1000);
    });
    const reads = meter.counter('plant_store_reads_total', 'Reads of a row by its key.');
    const statements = meter.counter(
      'plant_store_read_statements_total',
      'Statements for the reads of a row by its key, which they share.',
    );
    meter.listen(sharedReads, (shared: number) => {
      reads.inc(shared);
      statements.inc();
    });
  }

  private measureDatabase(): void {
    const { database } = this.settings;
    this.meter.gauge(
      'plant_store_database_up',
      'Whether the database answers within a second: 1, otherwise 0.',
      async () => this.dataSource.query('SELECT 1').then(() => 1),
      { otherwise: () => 0 },
    );
    this.meter.gauge(
      'plant_store_degraded',
      'Whether the service is degraded, by failed check: 1, otherwise 0.',
      () => {
        const current = this.degradation.check;
        return Object.fromEntries(Object.keys(CHECKS).map((check) => [check, Number(check === current)]));
      },
      { label: 'check' },
    );
    if (database.type === 'sqlite') this.measureFiles(database.path);
    else this.measurePool((this.dataSource.driver as PostgresDriver).master as Pool);
  }

  private measureFiles(path: string): void {
    const { meter } = this;
    // SQLite may have removed the log: its size is then 0.
    const sizeOf = async (file: string) => (await stat(file).catch(() => ({ size: 0 }))).size;
    meter.gauge(
      'plant_store_database_size_bytes',
      'Size of the files of SQLite: the database, and the write-ahead log before it is copied there.',
      async () => ({ database: await sizeOf(path), wal: await sizeOf(`${path}-wal`) }),
      { label: 'file' },
    );
    meter.gauge(
      'plant_store_database_disk_free_bytes',
      'Free space for the service on the disk of the database.',
      async () => {
        const { bavail, bsize } = await statfs(dirname(path));
        return bavail * bsize;
      },
    );
  }

  private measurePool(pool: Pool): void {
    const { meter } = this;
    meter.gauge(
      'plant_store_database_pool_connections',
      'Connections to PostgreSQL, by state.',
      () => ({ in_use: pool.totalCount - pool.idleCount, idle: pool.idleCount }),
      { label: 'state' },
    );
    meter.gauge(
      'plant_store_database_pool_limit',
      'Connections to PostgreSQL that may be open.',
      () => pool.options.max,
    );
    meter.gauge(
      'plant_store_database_pool_waiting',
      'Statements that wait for a connection to PostgreSQL.',
      () => pool.waitingCount,
    );
  }

  private measureTokens(): void {
    const { meter } = this;
    meter.gauge('plant_store_token_cache_size', 'Verified tokens in memory.', () => this.verifier.size);
    const hits = meter.counter('plant_store_token_cache_hits_total', 'Requests whose token was in memory.');
    const lookUps = meter.counter(
      'plant_store_token_lookups_total',
      'Tokens looked up in the database, or verified as a JWT.',
    );
    const refusals = meter.counter(
      'plant_store_token_refusals_total',
      'Requests refused for want of a valid token with the scopes of the operation, by cause.',
      ['cause'],
    );
    for (const cause of REFUSALS) refusals.inc({ cause }, 0);
    meter.listen(tokenChecks, (check: TokenCheck) => {
      if (check === 'remembered') hits.inc();
      else if (check === 'looked up') lookUps.inc();
      else refusals.inc({ cause: check });
    });
    meter.listen(answeredErrors, (error: number) => {
      if (error === ErrorValue.MissingToken) refusals.inc({ cause: 'missing' });
      if (error === ErrorValue.InsufficientScope) refusals.inc({ cause: 'insufficient_scope' });
    });
    let known: number | undefined;
    meter.gauge(
      'plant_store_token_next_expiry_timestamp_seconds',
      'When the next of the valid tokens expires; absent if none ever does.',
      async () => {
        const next = await this.tokens.nextExpiry();
        return (known = next === null ? undefined : next.getTime() / 1000);
      },
      { otherwise: () => known },
    );
  }

  /** Methods with `@Gauge()`, of any provider. */
  private measureGauges(): void {
    const scanner = new MetadataScanner();
    for (const { instance } of this.discovery.getProviders()) {
      const provider = Object(instance) as Record<string, () => Reading | Promise<Reading>>;
      for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(provider) as object)) {
        const read = provider[name];
        const gauge = read && (Reflect.getMetadata(Gauge.KEY, read) as GaugeOptions | undefined);
        if (gauge) this.meter.gauge(gauge.name, gauge.help, () => read.call(provider), gauge);
      }
    }
  }

  private measureProcess(): void {
    processMetrics();
    const { type: database } = this.settings.database;
    const labels = { version: serviceVersion(), node: process.versions.node, database };
    this.meter.info('plant_store_build_info', 'Always 1; the labels tell what runs here.', labels);
  }
}

let ofProcess: Registry | undefined;

/** The metrics of the process, made once: Node.js measures them until the process ends. */
function processMetrics(): Registry {
  if (ofProcess === undefined) collectDefaultMetrics({ register: (ofProcess = new Registry()) });
  return ofProcess;
}
