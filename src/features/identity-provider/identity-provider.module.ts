import { Global, type INestApplicationContext, Module } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { BEARER } from '../../kernel/auth/access.decorators.js';
import type { Scope } from '../../kernel/auth/principal.js';
import { TokenIssuer } from '../../kernel/auth/token-issuer.js';
import { type Configuration, ConfigurationError } from '../../kernel/config/configuration.js';
import { IdentityProvider } from './identity-provider.js';
import { IdentityProviderSettings } from './identity-provider.settings.js';
import { ProtectedResourceController } from './protected-resource.controller.js';

@Global()
@Module({
  controllers: [ProtectedResourceController],
  providers: [IdentityProvider, { provide: TokenIssuer, useExisting: IdentityProvider }],
  exports: [TokenIssuer],
})
export class IdentityProviderModule {
  static readonly settings = IdentityProviderSettings;
  static readonly tag = { name: 'authentication', description: 'Where access tokens come from.' };
  static readonly acceptsTokens = true;

  static isOn(configuration: Configuration, scopes: readonly Scope[]): boolean {
    const { OIDC_ISSUER, grants = [] } = configuration.get(IdentityProviderSettings);
    const unknown = grants.filter(({ scope }) => !scopes.includes(scope));
    if (unknown.length > 0)
      throw new ConfigurationError(
        unknown.map(({ scope }) => `OIDC_SCOPES grants ${scope}, which is none of ${scopes.join(', ')}`),
      );
    return OIDC_ISSUER !== undefined;
  }

  static describe(contract: OpenAPIObject, service: INestApplicationContext): void {
    const { OIDC_ISSUER } = service.get(IdentityProviderSettings);
    Object.assign(contract.components?.securitySchemes?.[BEARER] ?? {}, {
      bearerFormat: 'opaque or JWT',
      description: `An access token of the store, or a JWT access token (RFC 9068) of ${OIDC_ISSUER}.`,
    });
  }
}
