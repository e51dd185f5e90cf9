import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { OidcSettings } from '../config/settings.js';
import { FailureLimit } from '../limits/failure-limit.js';
import { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';
import { BearerAuthGuard } from './bearer-auth.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { BootstrapToken, SCOPES } from './bootstrap-token.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import { ProtectedResource } from './oidc/protected-resource.js';
import { ProtectedResourceController } from './oidc/protected-resource.controller.js';
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
  /** The group of its operations in the contract, of which there are only some with an identity provider. */
  static readonly tag = { name: 'authentication', description: 'Where access tokens come from.' };

  /**
   * @param scopes every scope that there is.
   * @param oidc the identity provider, if there is one.
   */
  static forRoot(scopes: readonly Scope[], oidc: OidcSettings | undefined): DynamicModule {
    const { controllers = [], providers = [] } = oidc === undefined ? {} : identityProvider(scopes, oidc);
    return {
      module: AuthModule,
      global: true,
      imports: [AccessTokensModule],
      controllers,
      providers: [
        BearerStrategy,
        TokenVerifier,
        FailureLimit,
        BootstrapToken,
        { provide: SCOPES, useValue: scopes },
        { provide: APP_GUARD, useClass: BearerAuthGuard },
        ...providers,
      ],
      exports: [TokenVerifier, SCOPES, ...(oidc === undefined ? [] : [ProtectedResource])],
    };
  }
}

function identityProvider(scopes: readonly Scope[], oidc: OidcSettings): ModuleMetadata {
  return {
    controllers: [ProtectedResourceController],
    providers: [
      { provide: IdentityProvider, useFactory: () => new IdentityProvider(oidc, scopes) },
      ProtectedResource,
    ],
  };
}
