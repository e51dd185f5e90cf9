import { channel } from 'node:diagnostics_channel';
import { isIP } from 'node:net';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { currentRequest, type RequestContext } from './request-context.js';
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
 * Writes one line for every request when it is over: method, path, client, token, status and duration in milliseconds; of one
 * that was slow also where the time went, at `warn`.
 *
 * Never the query, the headers, the body or an unknown part of the path: that is where secrets and what people store would be.
 *
 * @param probes paths that something asks for every second: nobody wants to read that all is well, so that is at `debug`.
 */
export function accessLog(
  logger: Logger,
  { log: { slowRequest }, trustedProxies }: Pick<Settings, 'log' | 'trustedProxies'>,
  probes: ReadonlySet<string>,
): RequestHandler {
  let showPath: ((target: string) => string) | undefined;
  return (request: Request, response: Response, next: NextFunction) => {
    const context = currentRequest();
    const start = performance.now();
    const { method, url } = request;
    showPath ??= pathShower(request.app.router);
    const path = showPath(url);
    const client = trustedProxies.length > 0 ? clientOf(request) : request.socket.remoteAddress;
    response.once('close', () => {
      const durationMs = milliseconds(performance.now() - start);
      if (closedRequests.hasSubscribers) closedRequests.publish({ request, response, durationMs });
      const { id: tokenId } = (request.user ?? {}) as { readonly id?: string };
      const complete = response.writableFinished;
      const isSlow = durationMs >= slowRequest && context?.isStream !== true;
      const isProbe = probes.has(path) && response.statusCode < 400;
      const level = isSlow ? 'warn' : isProbe ? 'debug' : 'info';
      logger[level](
        {
          requestId: context?.id,
          ...context?.trace,
          method,
          path,
          client,
          tokenId,
          ...(response.headersSent && { status: response.statusCode }),
          durationMs,
          ...(isSlow && context && { waitedMs: waitsOf(context) }),
          ...(!complete && { aborted: true }),
        },
        complete ? 'request answered' : 'request aborted',
      );
    });
    next();
  };
}

/** The address of the client as trusted proxies tell it. One may pass on any text for it, which is no address then. */
function clientOf(request: Request): string | undefined {
  const { ip = '' } = request;
  return isIP(ip) > 0 ? ip : request.socket.remoteAddress;
}

function waitsOf({ waited, answeredAt }: RequestContext): Record<string, number> {
  if (answeredAt !== undefined) waited.client = performance.now() - answeredAt;
  return Object.fromEntries(Object.entries(waited).map(([what, waitedMs]) => [what, milliseconds(waitedMs)]));
}

function milliseconds(exactly: number): number {
  return Math.round(exactly * 1000) / 1000;
}
