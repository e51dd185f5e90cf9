import type { NextFunction, Request, Response } from 'express';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** Refuses an HTTP/1.1 request without a Host (RFC 9112 section 3.2). */
export function requireHost(
  { headers, httpVersion }: Request,
  _response: Response,
  next: NextFunction,
): void {
  if (headers.host !== undefined || httpVersion === '1.0') next();
  else next(new ApiException(ErrorValue.MalformedRequest, 'The request must have a Host header.'));
}
