import { Module } from '@nestjs/common';
import { StoreModule } from '../../kernel/store/store.module.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({ imports: [StoreModule], controllers: [HealthController], providers: [Readiness] })
export class HealthModule {
  static readonly probes = ['/health/live', '/health/ready'];
  static readonly tag = { name: 'health', description: 'The health of the service.' };
}
