import { applyDecorators, type HttpStatus } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions, getSchemaPath } from '@nestjs/swagger';
import { ApiException } from '../errors/api.exception.js';
import { ErrorDto } from '../errors/error.dto.js';
import { answeredStatus, assertDeclared, ErrorValue, statusOf } from '../errors/error-value.js';

/** When an operation returns an error value. */
const CAUSES: Readonly<Record<number, string>> = {
  [ErrorValue.MalformedBody]: 'The body is not a JSON object.',
  [ErrorValue.InvalidBody]: 'A field of the body is missing or wrong.',
  [ErrorValue.InvalidParameter]: 'A parameter is wrong or unknown.',
  [ErrorValue.MissingToken]: 'There is no access token.',
  [ErrorValue.InvalidToken]: 'The access token is not valid.',
  [ErrorValue.InsufficientScope]: 'The access token lacks a scope that the operation requires.',
  [ErrorValue.UnknownResource]: 'There is no such resource.',
  [ErrorValue.MethodNotAllowed]: 'The path does not have the method.',
  [ErrorValue.RequestTimeout]: 'The request did not arrive in time.',
  [ErrorValue.IdTaken]: 'The id is taken.',
  [ErrorValue.LastAdmin]: 'The token is the last valid one with `admin`.',
  [ErrorValue.NotUnique]: 'Another resource has the same values where they must be unique.',
  [ErrorValue.StillReferenced]: 'Other resources refer to this one.',
  [ErrorValue.PreconditionFailed]: 'The resource does not meet `If-Match` or `If-None-Match`.',
  [ErrorValue.BodyTooLarge]: 'The body is too large.',
  [ErrorValue.UnsupportedMediaType]: 'The body is of another media type, not in UTF-8, or compressed.',
  [ErrorValue.TooManyRequests]:
    'The access token has made too many requests, or too many tokens from the address were not valid.',
  [ErrorValue.HeadersTooLarge]: 'The headers are larger than 16 KiB, or more than 100.',
  [ErrorValue.Unexpected]: 'An unexpected error happened.',
  [ErrorValue.Unavailable]:
    'The service is stopping or overloaded, or the database that the operation needs cannot be used now.',
};

/** The errors of every operation that needs an access token. */
const ACCESS_ERRORS = [
  ErrorValue.MissingToken,
  ErrorValue.InvalidToken,
  ErrorValue.InsufficientScope,
  ErrorValue.TooManyRequests,
  ErrorValue.Unexpected,
] as const;

/** More errors of an operation with a JSON body. */
export const BODY_ERRORS = [
  ErrorValue.MalformedBody,
  ErrorValue.InvalidBody,
  ErrorValue.BodyTooLarge,
  ErrorValue.UnsupportedMediaType,
] as const;

const TEXT = { type: 'string' } as const;
const CHALLENGE = {
  'WWW-Authenticate': { description: 'The challenge of RFC 6750.', schema: TEXT, required: true },
};
const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' }, required: true },
} as const;
const HEADERS: Readonly<Record<number, ApiResponseNoStatusOptions['headers']>> = {
  401: CHALLENGE,
  403: CHALLENGE,
  405: { Allow: { description: 'The methods of the path.', schema: TEXT, required: true } },
  429: {
    ...RETRY_AFTER,
    RateLimit: { description: 'What is left of the rate limit, if the token has one.', schema: TEXT },
    'RateLimit-Policy': { description: 'The rate limit, if the token has one.', schema: TEXT },
  },
  503: RETRY_AFTER,
};

/**
 * Documents the errors of an operation that needs an access token. An error is a value, or an exception where a feature declares
 * the value or the message names a resource. The errors of access are added.
 *
 * @param failureStatus the status of the operation's own failures.
 */
export function ApiErrors(
  errors: readonly (ErrorValue | ApiException)[] = [],
  failureStatus?: HttpStatus,
): MethodDecorator {
  const exceptions = [...errors, ...ACCESS_ERRORS].map((error) =>
    error instanceof ApiException ? error : new ApiException(error, CAUSES[error] ?? ''),
  );
  for (const { error } of exceptions) assertDeclared(error);
  const byStatus = Map.groupBy(exceptions, ({ error }) => answeredStatus(error, failureStatus));
  return applyDecorators(...[...byStatus].map(([status, of]) => ApiResponse(responseOf(status, of))));
}

/** The response of any operation with one error. */
export function errorResponse(error: ErrorValue) {
  const status = statusOf(error);
  return responseOf(status, [new ApiException(error, CAUSES[error] ?? '')]);
}

function responseOf(status: number, exceptions: readonly ApiException[]) {
  return {
    status,
    description: exceptions.map(({ error, message }) => `${error}: ${CAUSES[error] ?? message}`).join('\n\n'),
    headers: HEADERS[status] ?? {},
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: getSchemaPath(ErrorDto) },
            { type: 'object', properties: { error: { enum: exceptions.map(({ error }) => error) } } },
          ],
        },
        examples: Object.fromEntries(
          exceptions.map(({ error, message }) => [error, { value: { error, message } }]),
        ),
      },
    },
  };
}
