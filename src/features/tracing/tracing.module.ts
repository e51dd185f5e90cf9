import { Module } from '@nestjs/common';
import type { Configuration } from '../../config/configuration.js';
import { TracingSettings } from './tracing.settings.js';

/** Traces requests, for a service that has a collector. Nothing else loads the SDK of OpenTelemetry. */
@Module({
  providers: [
    {
      provide: 'Tracing',
      useFactory: async (settings: TracingSettings) => new (await import('./tracing.js')).Tracing(settings),
      inject: [TracingSettings],
    },
  ],
})
export class TracingModule {
  static readonly settings = TracingSettings;

  static isOn(configuration: Configuration): boolean {
    return configuration.get(TracingSettings).url !== undefined;
  }
}
