import { Module } from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AccessTokensModule } from '../../auth/auth.module.js';
import { AccessTokensService } from '../../auth/access-tokens.service.js';
import { TokenVerifier } from '../../auth/token-verifier.js';
import { BackupModule, ScheduledBackups } from '../backups/scheduled-backups.js';
import { Settings } from '../../config/settings.js';
import { BackupSettings } from '../backups/backups.settings.js';
import { ChangeFeeds } from '../changes/followers.js';
import { Degradation } from '../../store/degradation.js';
import { GroupCommit } from '../../store/group-commit.js';
import { StoreModule } from '../../store/store.module.js';
import { WebhookSettings } from '../webhooks/webhooks.settings.js';
import { Webhook } from '../webhooks/webhook.entity.js';
import { METRICS, MetricsController } from './metrics.controller.js';
import type { Metrics } from './metrics.js';

@Module({
  imports: [AccessTokensModule, BackupModule, StoreModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [MetricsController],
  providers: [
    {
      provide: METRICS,
      // Loaded only with the module, and the client of Prometheus with it: the command line needs neither.
      useFactory: async (...parts: ConstructorParameters<typeof Metrics>) =>
        new (await import('./metrics.js')).Metrics(...parts),
      inject: [
        Settings,
        BackupSettings,
        WebhookSettings,
        DataSource,
        GroupCommit,
        Degradation,
        ChangeFeeds,
        TokenVerifier,
        AccessTokensService,
        ScheduledBackups,
        getRepositoryToken(Webhook),
      ],
    },
  ],
})
export class MetricsModule {
  static readonly scopes = ['metrics:read'];
  static readonly tag = { name: 'metrics', description: 'What the service measures of itself.' };
}
