import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { parseTraceparent, RequestContext, runOnBehalfOf } from '../../logging/request-context.js';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** The request ids of clients and proxies that are safe to log: others could forge or bloat lines, or put a token into the log. */
const SANE_ID = /^(?!eyJ|.*pst_)[\w.:@/+=-]{1,128}$/;

/**
 * Pages for people replace the Content-Security-Policy. No Strict-Transport-Security: the service speaks plain HTTP, and TLS
 * belongs to the proxy in front of it.
 */
const SECURITY_HEADERS = new Map([
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]);

/** Scheme, credentials and host of a target in absolute form (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** A target without a path (RFC 9112, section 3.2.4). */
const ASTERISK = '*';

/**
 * Gives each request its id and the trace of its client, a line of the log and headers that forbid framing, sniffing, caching and
 * embedding, and refuses one that is not valid. One middleware instead of four: Express spends more on calling them than they take.
 */
export function beginRequest(log: (request: Request, response: Response) => void): RequestHandler {
  return (request, response, next) => {
    const given = request.get(REQUEST_ID_HEADER);
    const id = given !== undefined && SANE_ID.test(given) ? given : randomUUID();
    const trace = parseTraceparent(request.headers['traceparent']);
    runOnBehalfOf(new RequestContext(id, trace, request), () => {
      log(request, response);
      response.setHeader(REQUEST_ID_HEADER, id).setHeaders(SECURITY_HEADERS);
      const problem = problemOf(request);
      if (problem === undefined) next();
      else next(new ApiException(ErrorValue.MalformedRequest, `The request must ${problem}.`));
    });
  };
}

/** Reduces the target of a request to its path and query, and an invalid one to `*`: Express takes no other forms. */
export function useOriginForm(request: IncomingMessage): void {
  const { url = ASTERISK } = request;
  if (url.startsWith('/') || url === ASTERISK) return;
  const local = url.replace(ORIGIN, '');
  if (local === url) request.url = ASTERISK;
  else request.url = local.startsWith('/') ? local : `/${local}`;
}

/** Why a request is malformed (RFC 9112, section 3.2), worded to follow "The request must". */
function problemOf({ headers, httpVersion, originalUrl }: Request): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'be in HTTP/1.1';
  if (originalUrl === ASTERISK) return 'have a path';
  return headers.host === undefined && httpVersion === '1.1' ? 'have a Host header' : undefined;
}
