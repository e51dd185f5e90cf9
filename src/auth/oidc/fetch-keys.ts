import type { JSONWebKeySet } from 'jose';
import { isTrustworthy } from '../../config/formats.js';

/** Milliseconds that discovery and the keys may take together. */
const TIMEOUT_MS = 5_000;

/** Bytes of a document of the provider; those of large providers have 20 KiB. */
const MAX_BYTES = 262_144;

/**
 * Fetches the public keys of an issuer from where its metadata says.
 *
 * @throws Error when the provider does not answer, or not as OpenID Connect Discovery 1.0 or RFC 8414 want it.
 */
export async function fetchKeys(issuer: string): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const metadata = await discover(issuer, signal);
  // Whoever can answer for one issuer must not be able to name another one's keys (RFC 8414 section 3.3).
  if (metadata['issuer'] !== issuer) throw new Error(`its metadata is that of another issuer`);
  const address = URL.parse(String(metadata['jwks_uri']));
  if (address === null || !isTrustworthy(address)) throw new Error('its metadata has no jwks_uri with https');
  const { keys } = await fetchJson(address, signal);
  if (!Array.isArray(keys)) throw new Error(`${address.href} has no keys`);
  return { keys };
}

/** The metadata of OpenID Connect; where there is none, that of OAuth 2.0, which has its path before that of the issuer. */
async function discover(issuer: string, signal: AbortSignal): Promise<JsonObject> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const ofOpenId = new URL(`${origin}${path}/.well-known/openid-configuration`);
  const ofOauth = new URL(`${origin}/.well-known/oauth-authorization-server${path}`);
  try {
    return await fetchJson(ofOpenId, signal);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return fetchJson(ofOauth, signal);
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

class NotFoundError extends Error {}

async function fetchJson(address: URL, signal: AbortSignal): Promise<JsonObject> {
  const response = await fetch(address, {
    signal,
    redirect: 'error',
    headers: { Accept: 'application/json' },
  });
  const body = await readBody(response);
  if (response.status === 404) throw new NotFoundError(`${address.href} is not there`);
  if (response.status !== 200) throw new Error(`${address.href} answers ${response.status}`);
  const json: unknown = JSON.parse(body);
  if (typeof json !== 'object' || json === null) throw new Error(`${address.href} is not a JSON object`);
  return json as JsonObject;
}

async function readBody({ url, body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${url} has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
