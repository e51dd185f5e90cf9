import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** 40401: there is no such plant. */
export function unknownPlant(id: bigint): ApiException {
  return new ApiException(ErrorValue.UnknownPlant, `There is no plant with the id ${id}.`);
}

/** 40900: the id of a new plant is that of another one. */
export function idTaken(id: bigint): ApiException {
  return new ApiException(ErrorValue.IdTaken, `The id ${id} belongs to another plant.`);
}

/** 41200: the plant is not one that `If-Match` or `If-None-Match` allow. */
export function preconditionFailed(id: bigint): ApiException {
  return new ApiException(
    ErrorValue.PreconditionFailed,
    `The plant ${id} does not meet the preconditions of the request.`,
  );
}
