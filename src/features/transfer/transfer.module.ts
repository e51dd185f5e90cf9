import { Module } from '@nestjs/common';
import { addTransferCommands } from './transfer-commands.js';

@Module({})
export class TransferModule {
  static readonly addCommands = addTransferCommands;
}
