/**
 * The kernel's values of the `error` field: 100 times the HTTP status that fits the failure, plus a detail. docs/api.md explains
 * each.
 */
export const ErrorValue = {
  MalformedBody: 40000,
  InvalidBody: 40001,
  InvalidParameter: 40002,
  MalformedRequest: 40003,
  MissingToken: 40100,
  InvalidToken: 40101,
  InsufficientScope: 40300,
  UnknownPath: 40400,
  UnknownResource: 40401,
  MethodNotAllowed: 40500,
  RequestTimeout: 40800,
  IdTaken: 40900,
  LastAdmin: 40901,
  NotUnique: 40902,
  StillReferenced: 40903,
  PreconditionFailed: 41200,
  BodyTooLarge: 41300,
  UnsupportedMediaType: 41500,
  KeyReused: 42200,
  TooManyRequests: 42900,
  HeadersTooLarge: 43100,
  Unexpected: 50000,
  NotImplemented: 50100,
  Unavailable: 50300,
} as const;

export type ErrorValue = (typeof ErrorValue)[keyof typeof ErrorValue];

/** The HTTP status that an error value stands for. */
export function statusOf(error: number): number {
  return Math.floor(error / 100);
}

/**
 * The HTTP status of a response with an error value.
 *
 * @param failureStatus the status that the contract of an operation fixes for its own failures: a conflict or a crash.
 */
export function answeredStatus(error: number, failureStatus?: number): number {
  const status = statusOf(error);
  const isOwnFailure = status === 409 || status === 500;
  return isOwnFailure ? (failureStatus ?? status) : status;
}
