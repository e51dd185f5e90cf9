import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { FetchImplementation, JSONWebKeySet, JWTPayload, JWTVerifyOptions, RemoteJWKSet } from 'jose';
import { isTrustworthy } from '../../kernel/config/formats.js';
import { unavailable } from '../../kernel/errors/api.exception.js';
import { hostLookup } from '../../kernel/http/host-addresses.js';
import { IdentityProviderSettings, type ScopeGrant } from './identity-provider.settings.js';
import { SCOPES } from '../../kernel/auth/auth.module.js';
import { type Principal, type Scope, SUBJECT } from '../../kernel/auth/principal.js';
import { RateLimiter } from '../../kernel/auth/rate-limiter.js';
import { TokenIssuer } from '../../kernel/auth/token-issuer.js';

/** Seconds by which the clocks of the provider and of the service may differ. */
const CLOCK_TOLERANCE = 5;

/** The last moment whose year has four digits, as ISO 8601 writes it, in milliseconds. */
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** Claims whose values are one string, separated by spaces (RFC 8693 section 4.2; `scp` of some providers). */
const SPACED = new Set(['scope', 'scp']);

/** Why a token is not valid: an error of `jose`, which names the claim if it is one. */
interface Refusal {
  readonly claim?: string;
  readonly message: string;
  readonly code?: string;
}

/** Verifies the access tokens of an identity provider (RFC 9068) and says which scopes they have. */
@Injectable()
export class IdentityProvider extends TokenIssuer implements OnApplicationBootstrap {
  readonly issuer: string;
  private readonly logger = new Logger(IdentityProvider.name);
  /** Loaded only if a provider is configured. */
  private readonly jose = import('jose');
  private readonly keys: Promise<RemoteJWKSet>;
  private known: JSONWebKeySet = { keys: [] };
  private readonly rules: JWTVerifyOptions;
  private readonly grants: readonly ScopeGrant[];
  /** Logs each reason of a refusal once a minute. */
  private readonly refusals = new RateLimiter({ rate: 1 / 60, burst: 1 });

  constructor(
    private readonly settings: IdentityProviderSettings,
    @Inject(SCOPES) scopes: readonly Scope[],
  ) {
    super();
    const {
      OIDC_ISSUER: issuer = '',
      OIDC_AUDIENCE: audience = '',
      OIDC_TOKEN_TYPE: type,
      grants,
    } = settings;
    this.issuer = issuer;
    this.grants = grants ?? scopes.map((scope) => ({ claim: 'scope', value: scope, scope }));
    this.keys = this.connect();
    this.rules = {
      ...(type !== 'any' && { typ: type }),
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE,
    };
  }

  /** What a client asks the provider for as `scope`; empty when other claims decide. */
  get scopes(): string[] {
    return [...new Set(this.grants.filter(({ claim }) => SPACED.has(claim)).map(({ value }) => value))];
  }

  /** Fetches the keys before the first token needs them: the log tells the operator early if there are none. */
  async onApplicationBootstrap(): Promise<void> {
    const keys = await this.keys;
    void keys.reload();
  }

  /** @throws ApiException 50300 when the keys could never be fetched. */
  async verify(token: string): Promise<Principal | null> {
    const { jwtVerify } = await this.jose;
    try {
      const { payload } = await jwtVerify(token, await this.keys, this.rules);
      return this.principalOf(payload);
    } catch (error) {
      if (this.known.keys.length > 0) return this.refuse(error as Refusal);
      throw unavailable('The access token cannot be verified at the moment.');
    }
  }

  private principalOf(claims: JWTPayload): Principal | null {
    const { sub, exp = 0 } = claims;
    if (typeof sub !== 'string')
      return this.refuse({ claim: 'sub', message: '"sub" claim must be a string' });
    const granted = this.grants.filter(({ claim, value }) => valuesOf(claims, claim).includes(value));
    return {
      id: SUBJECT + sub,
      scopes: [...new Set(granted.map(({ scope }) => scope))],
      expiresAt: new Date(Math.min((exp + CLOCK_TOLERANCE) * 1000, LAST_MOMENT)),
    };
  }

  /** A message about a claim is one of a few, and has no value of the token. */
  private refuse({ claim, message, code = 'not a JWT' }: Refusal): null {
    const reason = claim === undefined ? code : message;
    if (this.refusals.take(reason).isAllowed)
      this.logger.log(`A token of ${this.issuer} is refused: ${reason}.`);
    return null;
  }

  private async connect(): Promise<RemoteJWKSet> {
    const { createLocalJWKSet, createRemoteJWKSet, customFetch } = await this.jose;
    const fetchKnown: FetchImplementation = async (_issuer, { signal }) => {
      try {
        this.known = createLocalJWKSet(await this.fetchKeys(signal)).jwks();
      } catch (error) {
        // As an Error, this is logged once a minute at most.
        this.logger.warn(new Error(`The keys of ${this.issuer} cannot be fetched`, { cause: error }));
      }
      // After a failure, too: known keys stay valid, and jose waits before it fetches again.
      return Response.json(this.known);
    };
    return createRemoteJWKSet(new URL(this.issuer), { [customFetch]: fetchKnown });
  }

  private async fetchKeys(signal: AbortSignal): Promise<JSONWebKeySet> {
    const { OIDC_KEYS_URL: address } = this.settings;
    return address === undefined
      ? fetchKeysOf(this.issuer, signal)
      : ((await fetchJson(address, signal)) as JSONWebKeySet);
  }
}

async function fetchKeysOf(issuer: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const path = '/.well-known/openid-configuration';
  const metadata = (await fetchJson(issuer.replace(/\/$/, '') + path, signal)) as Record<string, unknown>;
  // One tenant of a provider must not name the keys of another (RFC 8414 section 3.3).
  if (metadata['issuer'] !== issuer) throw new Error('its metadata is that of another issuer');
  const address = URL.parse(String(metadata['jwks_uri']));
  if (address === null || !isTrustworthy(address)) throw new Error('its metadata has no jwks_uri with https');
  return (await fetchJson(address.href, signal)) as JSONWebKeySet;
}

/** Uses `http` and `https`, which accept a look-up; `fetch` does not. Follows no redirect. */
async function fetchJson(address: string, signal: AbortSignal): Promise<unknown> {
  const { get } = address.startsWith('https:') ? https : http;
  const options = { headers: { Accept: 'application/json' }, signal, lookup: hostLookup() };
  // `once` handles errors until the response.
  const request = get(address, options).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode === 200) return json(response);
  response.destroy();
  throw new Error(`${address} returns ${response.statusCode}`);
}

function valuesOf(claims: JWTPayload, claim: string): readonly unknown[] {
  const names = claim.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
  const whole = names.join('.');
  const found = Object.hasOwn(claims, whole) ? claims[whole] : findInside(claims, names);
  if (typeof found !== 'string') return Array.isArray(found) ? found : [];
  // Only these two: users may write other claims themselves, such as a nickname.
  return SPACED.has(claim) ? found.split(' ') : [found];
}

/** The value at a path such as `realm_access.roles`. */
function findInside(claims: JWTPayload, path: readonly string[]): unknown {
  return path.reduce<unknown>((outer, name) => {
    const inside = Object(outer) as JWTPayload;
    return Object.hasOwn(inside, name) ? inside[name] : undefined;
  }, claims);
}
