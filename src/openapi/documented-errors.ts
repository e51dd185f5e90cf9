import { ErrorValue } from '../errors/error-value.js';

/** When an operation answers an error value. */
export const CAUSES = {
  [ErrorValue.MalformedBody]: 'the body is not a JSON object',
  [ErrorValue.InvalidBody]: 'a member of the body is missing or wrong',
  [ErrorValue.InvalidParameter]: 'a parameter is wrong',
  [ErrorValue.MissingToken]: 'there is no access token',
  [ErrorValue.InvalidToken]: 'the access token is not valid',
  [ErrorValue.InsufficientScope]: 'the access token lacks a scope that the operation needs',
  [ErrorValue.UnknownResource]: 'there is no such resource',
  [ErrorValue.MethodNotAllowed]: 'the path does not have the method',
  [ErrorValue.RequestTimeout]: 'the request did not arrive in time',
  [ErrorValue.IdTaken]: 'the id is taken',
  [ErrorValue.LastAdmin]: 'the token is the last valid one with `admin`',
  [ErrorValue.NotUnique]: 'another resource has the same values where they must be unique',
  [ErrorValue.StillReferenced]: 'other resources refer to this one',
  [ErrorValue.PreconditionFailed]: 'the resource does not meet `If-Match` or `If-None-Match`',
  [ErrorValue.BodyTooLarge]: 'the body is too large',
  [ErrorValue.UnsupportedMediaType]: 'the body is of another media type, not in UTF-8, or compressed',
  [ErrorValue.TooManyRequests]:
    'the access token has made too many requests, or too many tokens from the address were not valid',
  [ErrorValue.HeadersTooLarge]: 'the headers are larger than 16 KiB, or more than 100',
  [ErrorValue.Unexpected]: 'something unexpected happened',
  [ErrorValue.Unavailable]:
    'the service is stopping or overloaded, or the database that the operation needs cannot be used now',
} satisfies Partial<Record<ErrorValue, string>>;

export type DocumentedError = keyof typeof CAUSES;

/** Where an operation has its errors until `describeErrors` makes responses of them. */
export const ERRORS_EXTENSION = 'x-errors';

/** An error that an operation answers, and a message that comes with it, unless that follows from the rest of the operation. */
export interface OperationError {
  readonly error: DocumentedError;
  readonly status: number;
  readonly message?: string;
}
