import { type DynamicModule, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Settings } from '../config/settings.js';
import { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { BearerAuthGuard, BearerStrategy } from './bearer-auth.guard.js';
import type { Scope } from './principal.js';
import { TokenVerifier } from './token-verifier.js';

/** Nest's injection token for the list of all scopes. */
export const SCOPES = 'Scopes';

/** The store of access tokens, for the service and for the command line. */
@Module({
  imports: [TypeOrmModule.forFeature([AccessToken])],
  providers: [AccessTokensService],
  exports: [AccessTokensService],
})
export class AccessTokensModule {}

/** Requires an access token on every route that is not `@Public()`. */
@Module({})
export class AuthModule implements OnApplicationBootstrap {
  private readonly logger = new Logger(AuthModule.name);

  constructor(
    private readonly settings: Settings,
    private readonly tokens: AccessTokensService,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
  ) {}

  /** @param scopes every scope that exists. */
  static forRoot(scopes: readonly Scope[]): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [AccessTokensModule],
      providers: [
        BearerStrategy,
        TokenVerifier,
        { provide: SCOPES, useValue: scopes },
        { provide: APP_GUARD, useClass: BearerAuthGuard },
      ],
      exports: [TokenVerifier, SCOPES],
    };
  }

  /** Makes the configured token valid from the first request, unless it was revoked. */
  async onApplicationBootstrap(): Promise<void> {
    const { BOOTSTRAP_TOKEN } = this.settings;
    if (BOOTSTRAP_TOKEN === undefined) return;
    const newToken = { name: 'bootstrap', scopes: this.scopes, expiresAt: null };
    const token = await this.tokens.adopt(newToken, BOOTSTRAP_TOKEN);
    if (token !== null && token.revokedAt !== null)
      this.logger.warn(`BOOTSTRAP_TOKEN is the token ${token.id}, which is revoked: choose another one.`);
  }
}
