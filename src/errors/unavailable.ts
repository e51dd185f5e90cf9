import { ApiException } from './api.exception.js';
import { ErrorValue } from './error-value.js';

/** Seconds after which a client may try again (RFC 9110, section 10.2.3). */
export const RETRY_AFTER = '1';

/** The refusal of a request that would have been fine at another time: 503 with `Retry-After`. */
export function unavailable(message: string, cause?: unknown): ApiException {
  return new ApiException(ErrorValue.Unavailable, message, {
    headers: { 'Retry-After': RETRY_AFTER },
    cause,
  });
}
