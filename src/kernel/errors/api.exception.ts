import { channel } from 'node:diagnostics_channel';
import { HttpException, type Logger } from '@nestjs/common';
import { ErrorValue, statusOf } from './error-value.js';

/** Publishes the value of every Error that is sent. */
export const answeredErrors = channel('plant-store.answered-errors');

/** Seconds after which a client may try again (RFC 9110, section 10.2.3). */
export const RETRY_AFTER = '1';

/**
 * A failure as the client sees it: an error value, one sentence, and the status that the value implies.
 *
 * @example throw new ApiException(ErrorValue.IdTaken, `id ${id} belongs to another plant.`)
 */
export class ApiException extends HttpException {
  readonly headers: Readonly<Record<string, string>>;

  /** @param options headers of the response, and the cause for the log, which no client sees. */
  constructor(
    readonly error: number,
    message: string,
    options: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super({ error, message }, statusOf(error), { cause: options.cause });
    this.message = message;
    this.headers = options.headers ?? {};
  }
}

/** 503 with `Retry-After`, for a request that may succeed later. */
export function unavailable(message: string, cause?: unknown): ApiException {
  return new ApiException(ErrorValue.Unavailable, message, {
    headers: { 'Retry-After': RETRY_AFTER },
    cause,
  });
}

/** Writes the cause of a failure of the service to the log, never the request. */
export function logException(logger: Logger, { error, cause }: ApiException): void {
  if (error === ErrorValue.Unexpected) logger.error(cause);
  if (error === ErrorValue.Unavailable && cause !== undefined) logger.warn(cause);
}
