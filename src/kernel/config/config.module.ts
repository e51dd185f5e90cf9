import { type DynamicModule, Module } from '@nestjs/common';
import type { Configuration } from './configuration.js';

/** Makes each instance of settings injectable everywhere, by its class. */
@Module({})
export class ConfigModule {
  static forRoot({ settings }: Configuration): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: settings.map((instance) => ({ provide: instance.constructor, useValue: instance })),
      exports: settings.map(({ constructor }) => constructor),
    };
  }
}
