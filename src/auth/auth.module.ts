import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessTokensModule } from './access-tokens.module.js';
import { BearerAuthGuard } from './bearer-auth.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { BootstrapToken } from './bootstrap-token.js';
import { TokenVerifier } from './token-verifier.js';

/** Closes every route to requests without an access token. */
@Module({
  imports: [AccessTokensModule],
  providers: [
    BearerStrategy,
    TokenVerifier,
    BootstrapToken,
    { provide: APP_GUARD, useClass: BearerAuthGuard },
  ],
  exports: [TokenVerifier],
})
export class AuthModule {}
