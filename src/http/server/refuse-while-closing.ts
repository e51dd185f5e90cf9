import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { unavailable } from '../../errors/api.exception.js';
import type { HttpAdapter } from './http.adapter.js';

/** Refuses requests that arrive on open connections after the service has begun to stop. */
export function refuseWhileClosing(adapter: HttpAdapter): RequestHandler {
  return (_request: Request, response: Response, next: NextFunction) => {
    if (!adapter.isClosing) return next();
    response.setHeader('Connection', 'close');
    next(unavailable('The service is stopping.'));
  };
}
