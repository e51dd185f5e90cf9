import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessTokensModule } from '../../kernel/auth/auth.module.js';
import { StoreModule } from '../../kernel/store/store.module.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

@Module({
  imports: [AccessTokensModule, DiscoveryModule, StoreModule],
  controllers: [MetricsController],
  providers: [Metrics],
})
export class MetricsModule {
  static readonly scopes = ['metrics:read'];
  static readonly tag = { name: 'metrics', description: 'Measurements of the service.' };
}
