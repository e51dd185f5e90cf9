import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  type HttpStatus,
  Logger,
  UseFilters,
} from '@nestjs/common';
import type { Response } from 'express';
import { sendJson } from '../body/send-json.js';
import { answeredErrors } from '../../errors/answered-errors.js';
import { answeredStatus } from '../../errors/error-value.js';
import { logException } from '../../errors/log-exception.js';
import { toApiException } from './to-api-exception.js';

/** Responds to whatever was thrown with an Error, and the status that its value implies unless `failureStatus` is given. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly failureStatus?: HttpStatus) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const exception = toApiException(thrown);
    logException(this.logger, exception);
    answeredErrors.publish(exception.error);
    if (response.headersSent) {
      response.exchange.breakOff();
      return;
    }
    response.exchange.refuseRest();
    response.set(exception.headers);
    const { error, message } = exception;
    sendJson(response, answeredStatus(error, this.failureStatus), { error, message });
  }
}

/** Fixes the status of an operation's own failures, a conflict or a crash, where its contract does. */
export function FailWith(status: HttpStatus): MethodDecorator {
  return UseFilters(new ErrorFilter(status));
}
