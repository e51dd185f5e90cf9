import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { Key } from '../store/table.js';

/** 40401 */
export function unknownResource(noun: string, key: Key, field = 'id'): ApiException {
  return new ApiException(ErrorValue.UnknownResource, `There is no ${noun} with the ${field} ${key}.`);
}

/** 40900: the id belongs to another resource, or to one exactly like this. */
export function idTaken(noun: string, key: Key, field = 'id', isSame = false): ApiException {
  return new ApiException(
    ErrorValue.IdTaken,
    `${field} ${key} belongs to ${isSame ? `a ${noun} exactly like this` : `another ${noun}`}.`,
  );
}

/** 41200 */
export function preconditionFailed(): ApiException {
  return new ApiException(
    ErrorValue.PreconditionFailed,
    'The resource does not meet the preconditions of the request.',
  );
}

/** 40002: a parameter of the path, the query or a header is wrong. */
export function invalidParameter(problem: string): ApiException {
  return new ApiException(ErrorValue.InvalidParameter, `A parameter is not valid: ${problem}.`);
}

/** 40002: `after` does not come from a previous page. */
export function wrongCursor(): ApiException {
  return invalidParameter('after must come from the Link of a page');
}

/** What an operation of a batch has thrown, with its number in the message. The first is 1. */
export function ofOperation(index: number, thrown: unknown): unknown {
  if (!(thrown instanceof ApiException)) return thrown;
  const { error, message, headers, cause } = thrown;
  return new ApiException(error, `Operation ${index + 1}: ${message}`, { headers, cause });
}
