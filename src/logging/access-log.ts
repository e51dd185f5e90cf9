import { channel } from 'node:diagnostics_channel';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { currentRequestId } from './request-context.js';
import { pathShower } from './show-path.js';

/** Tells of every request that is over to whoever measures them, as a `ClosedRequest`. */
export const closedRequests = channel('plant-store.closed-requests');

/** A request that is over, however it ended. */
export interface ClosedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly durationMs: number;
}

/**
 * Writes one line for every request when it is over: method, path, status and duration in milliseconds.
 *
 * Never the query, the headers, the body or an unknown part of the path: that is where secrets and what people store would be.
 */
export function accessLog(logger: Logger): RequestHandler {
  let showPath: ((target: string) => string) | undefined;
  return (request: Request, response: Response, next: NextFunction) => {
    const start = performance.now();
    const { method, url } = request;
    showPath ??= pathShower(request.app.router);
    const path = showPath(url);
    const requestId = currentRequestId();
    response.once('close', () => {
      const durationMs = Math.round((performance.now() - start) * 1000) / 1000;
      if (closedRequests.hasSubscribers) closedRequests.publish({ request, response, durationMs });
      const complete = response.writableFinished;
      logger.info(
        {
          requestId,
          method,
          path,
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
