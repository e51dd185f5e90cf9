/** The values of `error` in a refusal: the HTTP status of the cause times 100, plus a detail. */
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
  WebhookRefused: 40904,
  ChangeNotKept: 41000,
  PreconditionFailed: 41200,
  BodyTooLarge: 41300,
  UnsupportedMediaType: 41500,
  TooManyRequests: 42900,
  HeadersTooLarge: 43100,
  Unexpected: 50000,
  Unavailable: 50300,
} as const;

/** A value of `error`; a later version of the service may have others. */
export type ErrorValue = (typeof ErrorValue)[keyof typeof ErrorValue] | (number & {});

/** The service has refused a request. `message` says why, in its words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Why, as a number: compare it with those of `ErrorValue`. */
  readonly error: ErrorValue;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Seconds to wait before the next attempt, where the service says so. */
  readonly retryAfter: number | undefined;
  /** The id under which the log of the service has the request. */
  readonly requestId: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number;

  constructor(
    error: ErrorValue,
    message: string,
    { status, headers }: Pick<Response, 'status' | 'headers'>,
    attempts = 1,
  ) {
    super(message);
    this.error = error;
    this.status = status;
    this.attempts = attempts;
    const retryAfter = headers.get('Retry-After');
    this.retryAfter = retryAfter === null ? undefined : Number(retryAfter);
    this.requestId = headers.get('X-Request-Id') ?? undefined;
  }

  /** Makes the error of a response that is no success. */
  static async of(response: Response, attempts: number): Promise<ApiError> {
    const { status } = response;
    const text = await response.text();
    try {
      const { error, message } = JSON.parse(text) as { error: number; message: string };
      return new ApiError(error, message, response, attempts);
    } catch {
      // A proxy has answered, in a form of its own.
      return new ApiError(status * 100, `The response has the status ${status}.`, response, attempts);
    }
  }

  /** Whether an attempt some time later may succeed. */
  get isTemporary(): boolean {
    return [429, 502, 503, 504].includes(this.status);
  }
}
