import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { Scope } from './scope.js';

/** The realm that every challenge names. */
export const REALM = 'plant-store';

/**
 * 401 with the challenge that the bearer strategy made: one without `error` asks for a token, one with it refuses the
 * token that came (RFC 6750 section 3). Whether that was malformed, unknown, expired or revoked stays untold.
 *
 * @param metadataUrl where clients learn of the identity provider, if there is one (RFC 9728 section 5.1).
 */
export function unauthorized(challenge: string, metadataUrl?: string): ApiException {
  const headers = challengeHeaders(challenge, metadataUrl);
  return challenge.includes('error=')
    ? new ApiException(ErrorValue.InvalidToken, 'The access token is not valid.', { headers })
    : new ApiException(ErrorValue.MissingToken, 'An access token is needed: Authorization: Bearer <token>.', {
        headers,
      });
}

/** 401 for a token that ceased to be valid while its request was under way. */
export function tokenEnded(metadataUrl?: string): ApiException {
  return unauthorized(`Bearer realm="${REALM}", error="invalid_token"`, metadataUrl);
}

/**
 * 403 for a valid token that may not do this (RFC 6750 section 3.1). The message names the scopes that the token lacks, the
 * challenge all that are needed (section 3).
 *
 * @param reason why they are needed, where the operation does not tell.
 */
export function insufficientScope(
  required: readonly Scope[],
  granted: readonly Scope[],
  metadataUrl?: string,
  reason = '',
): ApiException {
  const missing = required.filter((scope) => !granted.includes(scope));
  const lacks = missing.length === 1 ? `the scope ${missing[0]}` : `the scopes ${missing.join(' and ')}`;
  const challenge = `Bearer realm="${REALM}", error="insufficient_scope", scope="${required.join(' ')}"`;
  return new ApiException(ErrorValue.InsufficientScope, `The access token lacks ${lacks}${reason}.`, {
    headers: challengeHeaders(challenge, metadataUrl),
  });
}

function challengeHeaders(challenge: string, metadataUrl: string | undefined): Record<string, string> {
  const metadata = metadataUrl === undefined ? '' : `, resource_metadata="${metadataUrl}"`;
  return { 'WWW-Authenticate': challenge + metadata };
}
