import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { BearerAuthGuard } from './bearer-auth.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { BootstrapToken, SCOPES } from './bootstrap-token.js';
import type { Scope } from './scope.js';
import { TokenVerifier } from './token-verifier.js';

/** The access tokens themselves, for the service and for the command line. */
@Module({
  imports: [TypeOrmModule.forFeature([AccessToken])],
  providers: [AccessTokensService],
  exports: [AccessTokensService],
})
export class AccessTokensModule {}

/** Closes every route to requests without an access token. */
@Module({})
export class AuthModule {
  /** @param scopes every scope that there is. */
  static forRoot(scopes: readonly Scope[]): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [AccessTokensModule],
      providers: [
        BearerStrategy,
        TokenVerifier,
        BootstrapToken,
        { provide: SCOPES, useValue: scopes },
        { provide: APP_GUARD, useClass: BearerAuthGuard },
      ],
      exports: [TokenVerifier],
    };
  }
}
