import { HttpException } from '@nestjs/common';
import { statusOf } from './error-value.js';

interface ApiExceptionOptions {
  /** Response headers that belong to the failure, such as `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What led here; goes to the log, never into the answer. */
  readonly cause?: unknown;
}

/**
 * A failure with an answer for the client: an error value, one sentence, and the status that the value implies.
 *
 * @example throw new ApiException(ErrorValue.IdTaken, `The id ${id} belongs to another plant.`)
 */
export class ApiException extends HttpException {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly error: number,
    message: string,
    { headers = {}, cause }: ApiExceptionOptions = {},
  ) {
    super({ error, message }, statusOf(error), { cause });
    this.message = message;
    this.headers = headers;
  }
}
