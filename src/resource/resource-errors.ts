import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { Key } from '../store/table.js';

/** 40401: there is no such resource. */
export function unknownResource(noun: string, key: Key, field = 'id'): ApiException {
  return new ApiException(ErrorValue.UnknownResource, `There is no ${noun} with the ${field} ${key}.`);
}

/** 40900: the id of a new resource is that of another one. */
export function idTaken(noun: string, key: Key, field = 'id'): ApiException {
  return new ApiException(ErrorValue.IdTaken, `The ${field} ${key} belongs to another ${noun}.`);
}

/** 41200: the resource is not one that `If-Match` or `If-None-Match` allow. */
export function preconditionFailed(): ApiException {
  return new ApiException(
    ErrorValue.PreconditionFailed,
    'The resource does not meet the preconditions of the request.',
  );
}

/** 40002: the `after` of a list is none that a page before has told. */
export function wrongCursor(): ApiException {
  return new ApiException(
    ErrorValue.InvalidParameter,
    'A parameter is not valid: after must come from the Link of a page.',
  );
}
