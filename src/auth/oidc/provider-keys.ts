import { Logger } from '@nestjs/common';
import type { FetchImplementation, JSONWebKeySet, JWSHeaderParameters, RemoteJWKSet } from 'jose';
import { isTrustworthy } from '../../config/formats.js';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';

/** Seconds between two fetches of the keys at least, whatever tokens arrive. */
const COOLDOWN = 30;

type Key = Awaited<ReturnType<RemoteJWKSet>>;

/** The public keys of an identity provider, which stay good while it is away. */
export class ProviderKeys {
  private readonly logger = new Logger(ProviderKeys.name);
  private readonly remote: Promise<RemoteJWKSet>;
  private known: JSONWebKeySet = { keys: [] };

  constructor(private readonly issuer: string) {
    this.remote = this.connect();
  }

  /** Fetches the keys now. */
  async load(): Promise<void> {
    await (await this.remote).reload();
  }

  /**
   * The key that a token says it is signed with.
   *
   * @throws JWKSNoMatchingKey when the provider does not have it.
   * @throws ApiException 50300 when the provider has never told its keys: the token may be good.
   */
  async find(header: JWSHeaderParameters): Promise<Key> {
    const keys = await this.remote;
    try {
      return await keys(header);
    } catch (error) {
      if (this.known.keys.length > 0) throw error;
      throw new ApiException(ErrorValue.Unavailable, 'The access token cannot be verified at the moment.', {
        headers: { 'Retry-After': String(COOLDOWN) },
      });
    }
  }

  private async connect(): Promise<RemoteJWKSet> {
    const { createLocalJWKSet, createRemoteJWKSet, customFetch } = await import('jose');
    const fetchKnown: FetchImplementation = async (_issuer, options) => {
      try {
        this.known = createLocalJWKSet(await fetchKeys(this.issuer, options)).jwks();
      } catch (error) {
        // As an Error, of which the log tells once a minute.
        this.logger.warn(new Error(`The keys of ${this.issuer} cannot be fetched`, { cause: error }));
      }
      // Also after a failure, which jose forgets: it would try again for each token.
      return Response.json(this.known);
    };
    const issuer = new URL(this.issuer);
    return createRemoteJWKSet(issuer, { cooldownDuration: COOLDOWN * 1000, [customFetch]: fetchKnown });
  }
}

/** Fetches the keys from where the metadata of the issuer says. */
async function fetchKeys(issuer: string, options: RequestInit): Promise<JSONWebKeySet> {
  const metadata = (await discover(issuer, options)) as { issuer?: unknown; jwks_uri?: unknown };
  // Whoever can answer for one issuer must not be able to name another one's keys (RFC 8414 section 3.3).
  if (metadata.issuer !== issuer) throw new Error('its metadata is that of another issuer');
  const address = URL.parse(String(metadata.jwks_uri));
  if (address === null || !isTrustworthy(address)) throw new Error('its metadata has no jwks_uri with https');
  return (await readJson(await fetch(address, options))) as JSONWebKeySet;
}

/** The metadata of OpenID Connect; where it is missing, that of OAuth 2.0, which has its path before that of the issuer. */
async function discover(issuer: string, options: RequestInit): Promise<unknown> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const response = await fetch(`${origin}${path}/.well-known/openid-configuration`, options);
  if (response.status !== 404) return readJson(response);
  return readJson(await fetch(`${origin}/.well-known/oauth-authorization-server${path}`, options));
}

async function readJson(response: Response): Promise<unknown> {
  if (response.status !== 200) throw new Error(`${response.url} answers ${response.status}`);
  return response.json();
}
