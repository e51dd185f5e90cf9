import { ApiException } from '../../errors/api.exception.js';

/** @param message by default what the contract says. */
export function webhookRefused(
  message = 'The service has no `WEBHOOK_KEY`, or 100 webhooks already.',
): ApiException {
  return new ApiException(40904, message);
}
