import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Settings } from '../config/settings.js';

/** Traces requests and batches, for a service that has a collector. Nothing else loads the SDK of OpenTelemetry. */
@Module({
  providers: [
    {
      provide: 'Tracing',
      useFactory: async (settings: Settings, { httpAdapter }: HttpAdapterHost) => {
        const { Tracing } = await import('./tracing.js');
        return settings.tracing && new Tracing(settings.tracing, httpAdapter);
      },
      inject: [Settings, HttpAdapterHost],
    },
  ],
})
export class TracingModule {}
