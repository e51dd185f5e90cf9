import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({ controllers: [HealthController], providers: [Readiness] })
export class HealthModule {
  static readonly probes = ['/health/live', '/health/ready'];
  static readonly tag = { name: 'health', description: 'How the service is.' };
}
