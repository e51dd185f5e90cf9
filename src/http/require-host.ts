import type { NextFunction, Request, Response } from 'express';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** An address in brackets, or a name, which may be empty, and perhaps a port (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Refuses a request without a Host, with several or with a malformed one (RFC 9112, section 3.2). */
export function requireHost(request: Request, _response: Response, next: NextFunction): void {
  const problem = problemOf(request);
  if (problem === undefined) next();
  else next(new ApiException(ErrorValue.MalformedRequest, `The request must ${problem}.`));
}

function problemOf({ headers: { host }, httpVersion, rawHeaders }: Request): string | undefined {
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'have a Host header';
  if (!HOST.test(host)) return 'have a valid Host header';
  return countHosts(rawHeaders) > 1 ? 'not have more than one Host header' : undefined;
}

/** Node keeps the first Host and says nothing of the others. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
