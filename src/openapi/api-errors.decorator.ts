import { applyDecorators, type HttpStatus } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { ErrorDto } from '../errors/error.dto.js';
import { answeredStatus, ErrorValue } from '../errors/error-value.js';

/** When an operation answers an error value, and a message that may come with it. */
const ERRORS = {
  [ErrorValue.MalformedBody]: ['the body is not a JSON object', 'The body must be valid JSON.'],
  [ErrorValue.InvalidBody]: [
    'a member of the body is missing or wrong',
    'The body is not valid: name must be a string of Unicode characters other than U+0000.',
  ],
  [ErrorValue.InvalidParameter]: [
    'a parameter is wrong',
    'A parameter is not valid: limit must be an integer from 1 to 1000.',
  ],
  [ErrorValue.MissingToken]: [
    'there is no access token',
    'An access token is needed: Authorization: Bearer <token>.',
  ],
  [ErrorValue.InvalidToken]: ['the access token is not valid', 'The access token is not valid.'],
  [ErrorValue.InsufficientScope]: [
    'the access token lacks a scope that the operation needs',
    'The access token lacks the scope plants:write.',
  ],
  [ErrorValue.UnknownResource]: ['there is no such resource', 'There is no plant with the id 1.'],
  [ErrorValue.IdTaken]: ['the id is taken', 'The id 1 belongs to another plant.'],
  [ErrorValue.PreconditionFailed]: [
    'the resource does not meet `If-Match` or `If-None-Match`',
    'The resource does not meet the preconditions of the request.',
  ],
  [ErrorValue.BodyTooLarge]: ['the body is too large', 'The body must not be larger than 1048576 bytes.'],
  [ErrorValue.UnsupportedMediaType]: [
    'the body is of another media type, not in UTF-8, or compressed',
    'The body must be application/json in UTF-8.',
  ],
  [ErrorValue.Unexpected]: ['something unexpected happened', 'An unexpected error happened.'],
  [ErrorValue.Unavailable]: [
    'the service is stopping or overloaded, or its database cannot be used now',
    'The service is stopping.',
  ],
} satisfies Partial<Record<ErrorValue, readonly [when: string, message: string]>>;

type DocumentedError = keyof typeof ERRORS;

/** What every operation answers that needs an access token and uses the store. */
export const STORE_ERRORS = [
  ErrorValue.MissingToken,
  ErrorValue.InvalidToken,
  ErrorValue.InsufficientScope,
  ErrorValue.Unexpected,
  ErrorValue.Unavailable,
] as const satisfies DocumentedError[];

/** What an operation with a JSON body answers besides. */
export const BODY_ERRORS = [
  ErrorValue.MalformedBody,
  ErrorValue.InvalidBody,
  ErrorValue.BodyTooLarge,
  ErrorValue.UnsupportedMediaType,
] as const satisfies DocumentedError[];

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'The challenge of RFC 6750.',
    schema: { type: 'string' },
    required: true,
  },
} satisfies ApiResponseNoStatusOptions['headers'];

const HEADERS: Readonly<Record<number, NonNullable<ApiResponseNoStatusOptions['headers']>>> = {
  401: CHALLENGE,
  403: CHALLENGE,
  503: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' }, required: true } },
};

/**
 * Documents the error values that an operation answers, by their statuses.
 *
 * @param failureStatus what the operation passes to `FailWith`.
 */
export function ApiErrors(errors: readonly DocumentedError[], failureStatus?: HttpStatus): MethodDecorator {
  const byStatus = Object.groupBy(errors, (error) => answeredStatus(error, failureStatus));
  return applyDecorators(
    ...Object.entries(byStatus).map(([status, values = []]) =>
      ApiResponse({
        status: Number(status),
        type: ErrorDto,
        description: sentence(values.map((error) => `${ERRORS[error][0]} (${error})`).join('; ')),
        examples: Object.fromEntries(
          values.map((error) => [error, { summary: ERRORS[error][0], value: example(error) }]),
        ),
        headers: HEADERS[Number(status)] ?? {},
      }),
    ),
  );
}

function example(error: DocumentedError) {
  return { error, message: ERRORS[error][1] };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
