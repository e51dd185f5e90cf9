import { type DynamicModule, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Makes the validated settings injectable everywhere as `Settings`. */
@Module({})
export class ConfigModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
  }
}
