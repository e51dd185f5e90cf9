import type { Logger } from '@nestjs/common';
import type { ApiException } from './api.exception.js';
import { ErrorValue } from './error-value.js';

/** Writes what an operator has to know of a failure to the log: its cause, never the request. */
export function logException(logger: Logger, { error, cause }: ApiException): void {
  if (error === ErrorValue.Unexpected) logger.error(cause);
  if (error === ErrorValue.Unavailable && cause !== undefined) logger.warn(cause);
}
