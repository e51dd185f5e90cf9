import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { refuseUpload } from '../http/refuse-upload.js';
import { sendJson } from '../http/send-json.js';
import type { ApiException } from './api.exception.js';
import { ErrorValue } from './error-value.js';
import { toApiException } from './to-api-exception.js';

/**
 * Answers whatever was thrown with an Error record.
 *
 * The status is the one that the error value implies. Where the contract fixes the status of an operation's own failures
 * (a conflict or a crash), `failureStatus` is that status; what HTTP decides before the operation keeps its own.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly failureStatus?: HttpStatus) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const exception = toApiException(thrown);
    this.log(exception);
    if (response.headersSent) {
      // Too late for an Error: an answer that breaks off is the only way left to tell the client.
      response.destroy();
      return;
    }
    refuseUpload(http.getRequest<Request>(), response);
    response.set(exception.headers);
    sendJson(response, this.statusFor(exception), { error: exception.error, message: exception.message });
  }

  private statusFor(exception: ApiException): number {
    const status = exception.getStatus();
    const isOwnFailure = status === HttpStatus.CONFLICT || status === HttpStatus.INTERNAL_SERVER_ERROR;
    return isOwnFailure ? (this.failureStatus ?? status) : status;
  }

  private log({ error, cause }: ApiException): void {
    if (error === ErrorValue.Unexpected) this.logger.error(cause);
    if (error === ErrorValue.Unavailable && cause !== undefined) this.logger.warn(cause);
  }
}
