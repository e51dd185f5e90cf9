import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** 42900: who asks has asked too often, and may ask again after so many seconds (RFC 6585, section 4). */
export function tooManyRequests(
  retryAfter: number,
  message = 'The access token has made too many requests.',
) {
  return new ApiException(ErrorValue.TooManyRequests, message, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}
