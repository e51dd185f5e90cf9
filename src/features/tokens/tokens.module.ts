import { Module } from '@nestjs/common';
import { AccessTokensModule } from '../../kernel/auth/auth.module.js';
import { TOKENS_READ } from '../../kernel/auth/principal.js';
import { TokensController } from './tokens.controller.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [AccessTokensModule],
  controllers: [TokensController],
  providers: [TokensService],
})
export class TokensModule {
  static readonly scopes = [TOKENS_READ];
  static readonly tag = { name: 'tokens', description: 'The access tokens of the store.' };
}
