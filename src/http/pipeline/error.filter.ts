import { type ArgumentsHost, Catch, type ExceptionFilter, type HttpStatus, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { sendJson } from '../body/send-json.js';
import { answeredErrors, logException } from '../../errors/api.exception.js';
import { answeredStatus } from '../../errors/error-value.js';
import { toApiException } from './to-api-exception.js';

/**
 * Answers whatever was thrown with an Error record.
 *
 * The status is the one that the error value implies, unless the contract of the operation fixes another, `failureStatus`.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly failureStatus?: HttpStatus) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
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
