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
  TooManyRequests: 42900,
  HeadersTooLarge: 43100,
  Unexpected: 50000,
  Unavailable: 50300,
} as const;

export type ErrorValue = (typeof ErrorValue)[keyof typeof ErrorValue];

const declared = new Set<number>(Object.values(ErrorValue));

/** Declares an error value of a feature. @throws Error when it is taken. */
export function ownErrorValue(error: number): number {
  if (declared.has(error)) throw new Error(`The error value ${error} is taken: choose another one.`);
  declared.add(error);
  return error;
}

/** @throws Error when no feature has declared an error value. */
export function assertDeclared(error: number): void {
  if (!declared.has(error))
    throw new Error(`Nobody has declared the error value ${error}: use ownErrorValue().`);
}

/** The value of an exception of NestJS: it says no more than its status. */
export function valueOfStatus(status: number): number {
  return status * 100 + 99;
}

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
