import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';

/**
 * An address in brackets or a name, and perhaps a port (RFC 9110, section 7.2; RFC 3986, section 3.2.2). Without the comma that
 * the RFC lets into names: behind a proxy it may be two Hosts that became one.
 */
const NAME = String.raw`(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::\d*)?`;
const HOST = new RegExp(`^(?:${NAME})?$`, 'i');

/** The scheme, perhaps credentials, and the host of a target in absolute form (RFC 9112, section 3.2.2). */
const ORIGIN = new RegExp(`^https?://(?:[^/?#@]*@)?${NAME}(?=[/?#]|$)`, 'i');

/** The target of a request that is for the service as a whole (RFC 9112, section 3.2.4). */
const ASTERISK = '*';

/** Gives a request the path and query of its target; a target that is none becomes `*`. Express takes no other forms. */
export function useOriginForm(request: IncomingMessage): void {
  const { url = ASTERISK } = request;
  if (url.startsWith('/') || url === ASTERISK) return;
  const local = url.replace(ORIGIN, '');
  if (local === url) request.url = ASTERISK;
  else request.url = local.startsWith('/') ? local : `/${local}`;
}

/** Refuses a request of another major version, without a valid target, or without one valid Host (RFC 9112, section 3.2). */
export function requireValidRequest(request: Request, _response: Response, next: NextFunction): void {
  const problem = problemOf(request);
  if (problem === undefined) next();
  else next(new ApiException(ErrorValue.MalformedRequest, `The request must ${problem}.`));
}

function problemOf({ headers, httpVersion, method, originalUrl, rawHeaders }: Request): string | undefined {
  const { host } = headers;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'be in HTTP/1.1';
  if (originalUrl === ASTERISK && method !== 'OPTIONS') return 'have a path';
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
