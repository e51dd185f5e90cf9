import { ApiException } from '../../kernel/errors/api.exception.js';
import { ownErrorValue } from '../../kernel/errors/error-value.js';

/** The error value for a change that the service does not keep. */
export const CHANGE_NOT_KEPT = ownErrorValue(41000);

/** @param message by default what the contract says. */
export function changeNotKept(message = 'The change is not kept any more, or no changes are.'): ApiException {
  return new ApiException(CHANGE_NOT_KEPT, message);
}
