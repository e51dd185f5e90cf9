import type { HttpStatus, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { ApiExtension } from '@nestjs/swagger';
import { ApiException } from '../errors/api.exception.js';
import { answeredStatus, ErrorValue } from '../errors/error-value.js';
import { refusalOfNulls } from '../validation/validation.pipe.js';
import type { SelfEvidentError } from './describe-errors.js';
import { type DocumentedError, ERRORS_EXTENSION, type OperationError } from './documented-errors.js';

/** An error that is described by its value alone: a wrong body is what the DTO says. */
type DescribedError = SelfEvidentError | typeof ErrorValue.InvalidBody;

/** What every operation answers that needs an access token and uses the store. */
export const STORE_ERRORS = [
  ErrorValue.MissingToken,
  ErrorValue.InvalidToken,
  ErrorValue.InsufficientScope,
  ErrorValue.Unexpected,
] as const satisfies DescribedError[];

/** What an operation with a JSON body answers besides. */
export const BODY_ERRORS = [
  ErrorValue.MalformedBody,
  ErrorValue.InvalidBody,
  ErrorValue.BodyTooLarge,
  ErrorValue.UnsupportedMediaType,
] as const satisfies DescribedError[];

/**
 * Documents the errors of an operation: by value, or as exceptions where the message names a resource.
 *
 * `describeErrors` adds those that every operation returns.
 *
 * @param failureStatus what the operation passes to `FailWith`.
 */
export function ApiErrors(
  errors: readonly (DescribedError | ApiException)[],
  failureStatus?: HttpStatus,
): MethodDecorator {
  return (target, method, descriptor) => {
    const documented = errors.map((given): OperationError => {
      const thrown = given === ErrorValue.InvalidBody ? refusalOfNulls(bodyOf(target, method)) : given;
      if (!(thrown instanceof ApiException))
        return { error: thrown, status: answeredStatus(thrown, failureStatus) };
      const error = thrown.error as DocumentedError;
      return { error, status: answeredStatus(error, failureStatus), message: thrown.message };
    });
    ApiExtension(ERRORS_EXTENSION, documented)(target, method, descriptor);
  };
}

/** The class of the `@Body()` of a handler. */
function bodyOf(target: object, method: string | symbol): Type<object> {
  const types = Reflect.getMetadata('design:paramtypes', target, method) as Type<object>[];
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, method) as object;
  const body = types.find((_type, index) => Object.hasOwn(parameters, `${RouteParamtypes.BODY}:${index}`));
  if (body === undefined) throw new Error(`${String(method)} has no @Body() that could be wrong.`);
  return body;
}
