import { STATUS_CODES } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  type HttpStatus,
  Logger,
} from '@nestjs/common';
import type { Response } from 'express';
import { EntityNotFoundError } from 'typeorm';
import { endedTooSoon } from '../body/read-body.js';
import { exchangeOf } from '../connection/exchange.js';
import { ApiException, answeredErrors, logException, unavailable } from '../../errors/api.exception.js';
import { answeredStatus, ErrorValue, valueOfStatus } from '../../errors/error-value.js';
import { isStoreUnavailable, type Violation, violationOf } from '../../store/database-errors.js';

/** Turns anything thrown into an Error. Its value implies the status; `failureStatus` replaces that of a conflict or a crash. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly failureStatus?: HttpStatus) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const exchange = exchangeOf(response);
    const { request, failure } = exchange;
    const hasBrokenOff = request.destroyed && !request.complete;
    const exception = hasBrokenOff ? endedTooSoon(failure ?? thrown) : toApiException(thrown);
    logException(this.logger, exception);
    answeredErrors.publish(exception.error);
    if (!response.writableEnded)
      exchange.refuse(exception, answeredStatus(exception.error, this.failureStatus));
  }
}

/** The Error for each rule of the schema that a statement can break. */
export const VIOLATIONS: Readonly<Record<Violation, readonly [ErrorValue, message: string]>> = {
  key: [ErrorValue.IdTaken, 'The id is taken.'],
  unique: [ErrorValue.NotUnique, 'Another resource has the same values, which must be unique.'],
  'missing reference': [ErrorValue.UnknownResource, 'The request refers to a resource that does not exist.'],
  'still referenced': [ErrorValue.StillReferenced, 'Other resources refer to this one.'],
  value: [ErrorValue.InvalidBody, 'The store does not allow one of the values.'],
};

/**
 * Converts anything thrown to an ApiException.
 *
 * Messages of exceptions that are neither ours nor of NestJS are dropped: they may contain SQL, addresses or input of the client.
 */
export function toApiException(thrown: unknown): ApiException {
  if (thrown instanceof ApiException) return thrown;
  if (isStoreUnavailable(thrown)) return unavailable('The store cannot be used at the moment.', thrown);
  const violation = violationOf(thrown);
  if (violation !== undefined) return new ApiException(...VIOLATIONS[violation], { cause: thrown });
  if (thrown instanceof EntityNotFoundError)
    return new ApiException(ErrorValue.UnknownResource, 'There is no such resource.', { cause: thrown });
  if (thrown instanceof HttpException && thrown.getStatus() < 500) return fromNest(thrown);
  if (isOfMiddleware(thrown) && thrown.status < 500) {
    const { status } = thrown;
    return status === 400
      ? new ApiException(ErrorValue.InvalidParameter, INVALID_PATH, { cause: thrown })
      : new ApiException(status * 100, `${STATUS_CODES[status] ?? 'Refused'}.`, { cause: thrown });
  }
  return new ApiException(ErrorValue.Unexpected, 'An unexpected error happened.', { cause: thrown });
}

const INVALID_PATH = 'The path or a parameter is not valid.';

/** Keeps the message, which was written for the client. */
function fromNest(exception: HttpException): ApiException {
  const status = exception.getStatus();
  const error = status === 400 ? ErrorValue.InvalidParameter : valueOfStatus(status);
  // Of the router of Express, which NestJS makes a BadRequestException.
  const isOfRouter = exception.message.startsWith('Failed to decode param');
  return new ApiException(error, isOfRouter ? INVALID_PATH : exception.message, { cause: exception });
}

/** An exception that middleware of Express makes by the package http-errors. */
function isOfMiddleware(thrown: unknown): thrown is Error & { readonly status: number } {
  return thrown instanceof Error && 'expose' in thrown;
}
