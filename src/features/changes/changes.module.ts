import { Module } from '@nestjs/common';
import { addChangeCommands } from './change-commands.js';
import { ChangesSettings } from './changes.settings.js';

@Module({})
export class ChangesModule {
  static readonly settings = ChangesSettings;
  static readonly addCommands = addChangeCommands;
}
