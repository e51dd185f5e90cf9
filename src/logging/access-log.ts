import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { currentRequestId } from './request-context.js';

/**
 * Writes one line for every request when it is over: method, path, status and duration in milliseconds.
 *
 * Never the query, the headers or the body: that is where secrets and what people store would be.
 */
export function accessLog(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const start = performance.now();
    const { method, url } = request;
    const requestId = currentRequestId();
    response.once('close', () => {
      const durationMs = Math.round((performance.now() - start) * 1000) / 1000;
      const complete = response.writableFinished;
      logger.info(
        {
          requestId,
          method,
          path: pathOf(url),
          ...(response.headersSent && { status: response.statusCode }),
          durationMs,
          ...(!complete && { aborted: true }),
        },
        complete ? 'request answered' : 'request aborted',
      );
    });
    next();
  };
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
