import { Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AccessTokensModule } from '../../kernel/auth/auth.module.js';
import { AccessTokensService } from '../../kernel/auth/access-tokens.service.js';
import { TokenVerifier } from '../../kernel/auth/token-verifier.js';
import { Settings } from '../../kernel/config/settings.js';
import { Degradation } from '../../kernel/store/degradation.js';
import { GroupCommit } from '../../kernel/store/group-commit.js';
import { StoreModule } from '../../kernel/store/store.module.js';
import { METRICS, MetricsController } from './metrics.controller.js';
import type { Metrics } from './metrics.js';

@Module({
  imports: [AccessTokensModule, DiscoveryModule, StoreModule],
  controllers: [MetricsController],
  providers: [
    {
      provide: METRICS,
      // Loaded only with the module, and the client of Prometheus with it: the command line needs neither.
      useFactory: async (...parts: ConstructorParameters<typeof Metrics>) =>
        new (await import('./metrics.js')).Metrics(...parts),
      inject: [
        Settings,
        DataSource,
        GroupCommit,
        Degradation,
        TokenVerifier,
        AccessTokensService,
        DiscoveryService,
      ],
    },
  ],
})
export class MetricsModule {
  static readonly scopes = ['metrics:read'];
  static readonly tag = { name: 'metrics', description: 'Measurements of the service.' };
}
