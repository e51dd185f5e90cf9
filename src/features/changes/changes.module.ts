import { Module } from '@nestjs/common';
import { ChangesSettings } from './changes.settings.js';

@Module({})
export class ChangesModule {
  static readonly settings = ChangesSettings;
}
