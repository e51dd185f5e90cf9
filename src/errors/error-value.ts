/** The values of the `error` field: the HTTP status that fits the failure times 100, plus a detail. docs/api.md explains each. */
export const ErrorValue = {
  /** The body is not a JSON object in UTF-8: malformed, empty, an array or nested too deep. */
  MalformedBody: 40000,
  /** The body is a JSON object, but a member is missing or wrong. */
  InvalidBody: 40001,
  InvalidParameter: 40002,
  MalformedRequest: 40003,
  MissingToken: 40100,
  InvalidToken: 40101,
  InsufficientScope: 40300,
  UnknownPath: 40400,
  UnknownResource: 40401,
  /** The path exists, but not for this method. */
  MethodNotAllowed: 40500,
  RequestTimeout: 40800,
  IdTaken: 40900,
  LastAdmin: 40901,
  /** Another resource has the same value in a field, or in some together, that must be unique. */
  NotUnique: 40902,
  StillReferenced: 40903,
  PreconditionFailed: 41200,
  BodyTooLarge: 41300,
  /** The body is not of the media type that the operation takes, in UTF-8, or it is compressed. */
  UnsupportedMediaType: 41500,
  /** The access token, or the address, has made too many requests; `Retry-After` says when to try again. */
  TooManyRequests: 42900,
  /** The header section is larger than the service accepts, or has too many fields. */
  HeadersTooLarge: 43100,
  /** Something went wrong that the client cannot mend. */
  Unexpected: 50000,
  /** The method is none that the service implements on any path. */
  NotImplemented: 50100,
  /** The service is stopping or its database is away; `Retry-After` says when to try again. */
  Unavailable: 50300,
} as const;

export type ErrorValue = (typeof ErrorValue)[keyof typeof ErrorValue];

/** The HTTP status an error value stands for. */
export function statusOf(error: number): number {
  return Math.floor(error / 100);
}

/**
 * The HTTP status of a response with an error value.
 *
 * @param failureStatus what the contract of an operation fixes for its own failures, which are a conflict or a crash.
 */
export function answeredStatus(error: number, failureStatus?: number): number {
  const status = statusOf(error);
  const isOwnFailure = status === 409 || status === 500;
  return isOwnFailure ? (failureStatus ?? status) : status;
}
