import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { isStoreUnavailable } from '../../store/store-unavailable.js';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { unavailable } from '../../errors/unavailable.js';

/**
 * The answer to whatever was thrown.
 *
 * Texts of foreign exceptions are not passed on: they may hold SQL, addresses or what the client sent.
 */
export function toApiException(thrown: unknown): ApiException {
  if (thrown instanceof ApiException) return thrown;
  if (isStoreUnavailable(thrown)) return unavailable('The store cannot be used at the moment.', thrown);
  if (thrown instanceof HttpException && thrown.getStatus() < 500) return fromFramework(thrown);
  return new ApiException(ErrorValue.Unexpected, 'An unexpected error happened.', { cause: thrown });
}

function fromFramework(exception: HttpException): ApiException {
  const status = exception.getStatus();
  if (status === 400) {
    return new ApiException(ErrorValue.InvalidParameter, 'The path or a parameter is not valid.', {
      cause: exception,
    });
  }
  return new ApiException(status * 100, `${STATUS_CODES[status] ?? 'Refused'}.`, { cause: exception });
}
