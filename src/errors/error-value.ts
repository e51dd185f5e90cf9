/**
 * The values of the `error` field: the HTTP class of what happened times 100, plus a detail.
 * They tell what happened even where the contract fixes the status (create answers 400 for every failure of its own).
 */
export const ErrorValue = {
  /** The body is not a JSON object in UTF-8: malformed, empty, an array or nested too deep. */
  MalformedBody: 40000,
  /** The body is a JSON object, but a member is missing or wrong. */
  InvalidBody: 40001,
  /** A path or query parameter is wrong, or a header with a condition. */
  InvalidParameter: 40002,
  /** The message is not valid HTTP/1.1. */
  MalformedRequest: 40003,
  /** No access token came with the request. */
  MissingToken: 40100,
  /** The access token is malformed, unknown, expired or revoked. */
  InvalidToken: 40101,
  /** The access token lacks the scope that the operation asks for. */
  InsufficientScope: 40300,
  /** There is no such path. */
  UnknownPath: 40400,
  /** There is no resource with this id. */
  UnknownResource: 40401,
  /** The path exists, but not for this method; `Allow` lists those it has. */
  MethodNotAllowed: 40500,
  /** The request did not arrive in time. */
  RequestTimeout: 40800,
  /** The id belongs to another resource. */
  IdTaken: 40900,
  /** The access token is the last valid one with `admin`. */
  LastAdmin: 40901,
  /** Another resource has the same value in a field, or in some together, that must be unique. */
  NotUnique: 40902,
  /** Other resources refer to this one, so it cannot be deleted. */
  StillReferenced: 40903,
  /** The resource is not as the preconditions of the request want it. */
  PreconditionFailed: 41200,
  /** The body is larger than the service accepts. */
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
 * The HTTP status that an error value is answered with.
 *
 * @param failureStatus what the contract of an operation fixes for its own failures (a conflict or a crash); what HTTP
 * decides before the operation keeps its own.
 */
export function answeredStatus(error: number, failureStatus?: number): number {
  const status = statusOf(error);
  const isOwnFailure = status === 409 || status === 500;
  return isOwnFailure ? (failureStatus ?? status) : status;
}
