import { ApiException } from '../../kernel/errors/api.exception.js';
import { ownErrorValue } from '../../kernel/errors/error-value.js';

const WEBHOOK_REFUSED = ownErrorValue(40904);

/** @param message by default what the contract says. */
export function webhookRefused(
  message = 'The service has no `WEBHOOK_KEY`, or 100 webhooks already.',
): ApiException {
  return new ApiException(WEBHOOK_REFUSED, message);
}
