import type { OnApplicationBootstrap } from '@nestjs/common';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { ConfigurationError } from '../../config/configuration.error.js';
import type { OidcSettings, ScopeGrant } from '../../config/settings.js';
import { ApiException } from '../../errors/api.exception.js';
import type { Principal } from '../principal.js';
import type { Scope } from '../scope.js';
import { grantedScopes, grantsOfScope, scopesToAskFor } from './granted-scopes.js';
import { ProviderKeys } from './provider-keys.js';

/** Signature algorithms with a private key. HS256 is missing: its secret verifies and signs, so a verifier could forge tokens. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Seconds by which the clocks of the provider and of the service may differ. */
const CLOCK_TOLERANCE = 5;

/** The last moment of a Date, in milliseconds (ECMAScript, section 21.4.1.1). */
const END_OF_TIME = 8.64e15;

/** Characters of a `sub` that the log shows; a provider keeps to as many (OpenID Connect Core 1.0, section 2). */
const MAX_ID_LENGTH = 255;

/** Tells what the access tokens of an identity provider are worth (RFC 9068). */
export class IdentityProvider implements OnApplicationBootstrap {
  /** Loaded only where there is a provider. */
  private readonly jose = import('jose');
  private readonly keys: ProviderKeys;
  private readonly rules: JWTVerifyOptions;
  private readonly grants: readonly ScopeGrant[];

  /** @throws ConfigurationError when a grant is for a scope that there is not. */
  constructor(
    private readonly settings: OidcSettings,
    scopes: readonly Scope[],
  ) {
    this.grants = settings.grants ?? grantsOfScope(scopes);
    const unknown = this.grants.filter(({ scope }) => !scopes.includes(scope));
    if (unknown.length > 0)
      throw new ConfigurationError(
        unknown.map(({ scope }) => `OIDC_SCOPES grants ${scope}, which is none of ${scopes.join(', ')}`),
      );
    this.keys = new ProviderKeys(settings.issuer);
    this.rules = {
      algorithms: ALGORITHMS,
      typ: 'at+jwt',
      issuer: settings.issuer,
      audience: settings.audience,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE,
    };
  }

  /** The provider, as its tokens name it. */
  get issuer(): string {
    return this.settings.issuer;
  }

  /** What a client asks the provider for as `scope`; empty when other claims decide. */
  get scopes(): readonly string[] {
    return scopesToAskFor(this.grants);
  }

  /** Asks for the keys before the first token needs them, which tells the operator early if there are none. */
  onApplicationBootstrap(): void {
    void this.keys.load();
  }

  /**
   * Whom a token is for; null when it is not good, whatever the reason.
   *
   * @throws ApiException 50300 when the provider has never told its keys.
   */
  async verify(token: string): Promise<Principal | null> {
    const { jwtVerify } = await this.jose;
    try {
      const { payload } = await jwtVerify(token, (header) => this.keys.find(header), this.rules);
      return this.toPrincipal(payload);
    } catch (error) {
      if (error instanceof ApiException) throw error;
      return null;
    }
  }

  private toPrincipal(claims: JWTPayload): Principal | null {
    const { sub, exp = 0 } = claims;
    if (typeof sub !== 'string') return null;
    return {
      // Not to be mistaken for the id of a token of the service, nor for a part of the log.
      id: `oidc:${sub.slice(0, MAX_ID_LENGTH).replaceAll(/[^\x21-\x7e]/g, '_')}`,
      scopes: grantedScopes(claims, this.grants),
      expiresAt: new Date(Math.min((exp + CLOCK_TOLERANCE) * 1000, END_OF_TIME)),
    };
  }
}
