import { Module } from '@nestjs/common';
import { Settings } from '../../config/settings.js';

/** Traces requests, for a service that has a collector. Nothing else loads the SDK of OpenTelemetry. */
@Module({
  providers: [
    {
      provide: 'Tracing',
      useFactory: async ({ tracing }: Settings) => {
        const { Tracing } = await import('./tracing.js');
        return tracing && new Tracing(tracing);
      },
      inject: [Settings],
    },
  ],
})
export class TracingModule {}
