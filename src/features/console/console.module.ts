import { Module } from '@nestjs/common';
import { ConsoleSettings } from './console.settings.js';

@Module({})
export class ConsoleModule {
  static readonly settings = ConsoleSettings;
}
