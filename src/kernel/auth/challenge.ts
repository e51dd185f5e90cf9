import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { Scope } from './principal.js';

const REALM = 'plant-store';

/** 401 without a token, whose challenge has no `error` (RFC 6750 section 3). */
export function missingToken(): ApiException {
  const message = 'An access token is needed: Authorization: Bearer <token>.';
  return new ApiException(ErrorValue.MissingToken, message, challenge(''));
}

/** 401 for an invalid token. It does not tell whether the token is malformed, unknown, expired or revoked. */
export function invalidToken(): ApiException {
  const message = 'The access token is not valid.';
  return new ApiException(ErrorValue.InvalidToken, message, challenge(', error="invalid_token"'));
}

/**
 * 403 for a valid token that may not do this (RFC 6750 section 3.1). The message names the missing scopes, the challenge all that
 * are required.
 *
 * @param reason ends the message: alternative scopes, or why the scopes are required.
 */
export function insufficientScope(
  required: readonly Scope[],
  granted: readonly Scope[],
  reason = '',
): ApiException {
  const missing = required.filter((scope) => !granted.includes(scope));
  const lacks = missing.length === 1 ? `the scope ${missing[0]}` : `the scopes ${missing.join(' and ')}`;
  const message = `The access token lacks ${lacks}${reason}.`;
  const parameters = `, error="insufficient_scope", scope="${required.join(' ')}"`;
  return new ApiException(ErrorValue.InsufficientScope, message, challenge(parameters));
}

function challenge(parameters: string) {
  return { headers: { 'WWW-Authenticate': `Bearer realm="${REALM}"${parameters}` } };
}
