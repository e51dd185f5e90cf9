import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { AccessTokensService } from '../auth/access-tokens.service.js';
import type { TokenVerifier } from '../auth/token-verifier.js';
import type { ScheduledBackups } from '../backup/scheduled-backups.js';
import type { Settings } from '../config/settings.js';
import type { GroupCommit } from '../store/group-commit.js';
import { measureBackups } from './measure-backups.js';
import { measureDatabase } from './measure-database.js';
import { measureProcess } from './measure-process.js';
import { measureRequests } from './measure-requests.js';
import { measureStore } from './measure-store.js';
import { measureTokens } from './measure-tokens.js';
import { Meter } from './meter.js';

/**
 * What the service measures, from its start to its end.
 *
 * The layers below know nothing of it: they tell what happens on channels (`node:diagnostics_channel`), which cost nothing while
 * nobody listens. A channel is one of the process: two services in one process count for each other.
 */
export class Metrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly meter = new Meter();

  constructor(
    private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly commits: GroupCommit,
    private readonly verifier: TokenVerifier,
    private readonly tokens: AccessTokensService,
    private readonly backups: ScheduledBackups,
  ) {}

  /** Not before: a start that fails would listen for ever. */
  onApplicationBootstrap(): void {
    const { database, backup } = this.settings;
    measureRequests(this.meter);
    measureStore(this.meter, this.commits);
    measureDatabase(this.meter, this.dataSource, database);
    measureTokens(this.meter, this.verifier, this.tokens);
    if (backup !== undefined && database.type === 'sqlite') measureBackups(this.meter, this.backups);
    measureProcess(this.meter, database);
  }

  get contentType(): string {
    return this.meter.registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  read(): Promise<string> {
    return this.meter.registry.metrics();
  }

  onApplicationShutdown(): void {
    this.meter.stop();
  }
}
