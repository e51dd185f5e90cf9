import { channel } from 'node:diagnostics_channel';
import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { currentRequest, type RequestContext } from './request-context.js';

/** Publishes every request that is over, as a `ClosedRequest`. */
export const closedRequests = channel('plant-store.closed-requests');

/** A request that is over, however it ended. */
export interface ClosedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly context: RequestContext | undefined;
  /** The path as the log shows it. */
  readonly path: string;
  readonly durationMs: number;
}

/**
 * Writes one line for every request when it is over: method, path, client, token, status and duration in milliseconds; that
 * of a slow request at `warn`.
 *
 * Never the query, the headers, the body or an unknown part of the path: they may contain secrets and stored data.
 *
 * @param probes paths of health probes, whose successes are logged at `debug`.
 */
export function accessLog(
  logger: Logger,
  { log: { slowRequest }, trustedProxies }: Pick<Settings, 'log' | 'trustedProxies'>,
  probes: ReadonlySet<string>,
): (request: Request, response: Response) => void {
  let unknown: RegExp | undefined;
  let mayHaveProxies = trustedProxies.length === 0;
  return (request, response) => {
    const context = currentRequest();
    const start = performance.now();
    const { method } = request;
    const [target = ''] = request.url.split('?', 1);
    const path = target.replace((unknown ??= unknownSegments(request)), '…');
    // Without proxies, Express would parse X-Forwarded-For for nothing.
    const client = trustedProxies.length === 0 ? request.socket.remoteAddress : clientOf(request);
    if (mayHaveProxies && request.headers['x-forwarded-for'] !== undefined) {
      mayHaveProxies = false;
      logger.warn(
        'A request has X-Forwarded-For, but TRUSTED_PROXIES is not set. Behind a proxy, set it: until then, the log and the limit of access token guesses see the address of the proxy for all clients.',
      );
    }
    response.once('close', () => {
      const durationMs = Math.round((performance.now() - start) * 1000) / 1000;
      if (closedRequests.hasSubscribers)
        closedRequests.publish({ request, response, context, path, durationMs } satisfies ClosedRequest);
      const complete = response.writableFinished;
      const isSlow = durationMs >= slowRequest && context?.isStream !== true;
      const isProbe = probes.has(path) && response.statusCode < 400;
      const level = isSlow ? 'warn' : isProbe ? 'debug' : 'info';
      // pino leaves out what is undefined.
      const line = {
        requestId: context?.id,
        traceId: context?.trace?.traceId,
        parentSpanId: context?.trace?.parentSpanId,
        method,
        path,
        client,
        tokenId: context?.caller,
        status: response.headersSent ? response.statusCode : undefined,
        durationMs,
        aborted: complete ? undefined : true,
      };
      logger[level](line, complete ? 'request answered' : 'request aborted');
    });
  };
}

/** Matches the segments of a path that are neither those of a route nor integers: what a client put there may be a secret. */
function unknownSegments({ app }: Request): RegExp {
  const segments = app.router.stack.flatMap(({ route }) => route?.path.split('/') ?? []);
  const known = new Set(segments.filter((segment) => !segment.startsWith(':')));
  const shown = [...known].map((segment) => RegExp.escape(segment)).join('|');
  return new RegExp(`(?<![^/])(?!(?:${shown}|-?\\d{1,19})(?![^/]))[^/]+`, 'g');
}

/** The address of the client as trusted proxies report it. They may pass on any text for it. */
function clientOf({ ip = '', socket }: Request): string | undefined {
  return isIP(ip) > 0 ? ip : socket.remoteAddress;
}
