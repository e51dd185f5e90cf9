import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { answeredErrors } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { pathShower } from '../logging/show-path.js';
import { parseTraceparent } from '../logging/trace-context.js';

/** The methods that have a name in spans (semantic conventions for HTTP); there is no end to the others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** A request of which a span is made. */
interface Recorded {
  readonly span: Span;
  /** What the service could not do, as an error value; undefined as long as there is nothing. */
  failure: string | undefined;
}

/**
 * Makes a span of each request, as a part of the trace of its client.
 *
 * Never of the query, the headers or the body, and of the path what the log shows.
 */
export class RequestSpans {
  private readonly recorded = new AsyncLocalStorage<Recorded | undefined>();
  private showPath: ((target: string) => string) | undefined;

  constructor(private readonly tracer: Tracer) {
    answeredErrors.subscribe(this.noteError);
  }

  /** The span of the request on whose behalf the caller runs, if one is made of it. */
  get current(): Span | undefined {
    return this.recorded.getStore()?.span;
  }

  /** The middleware. */
  readonly record = (request: Request, response: Response, next: NextFunction): void => {
    const client = clientOf(request);
    const context = client === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, client);
    const span = this.tracer.startSpan(request.method, { kind: SpanKind.SERVER }, context);
    // Also without a span: a request that has waited for another one on its connection begins on behalf of that.
    this.recorded.run(span.isRecording() ? this.begin(span, client, request, response) : undefined, next);
  };

  stop(): void {
    answeredErrors.unsubscribe(this.noteError);
  }

  private begin(span: Span, client: SpanContext | undefined, request: Request, response: Response): Recorded {
    const recorded: Recorded = { span, failure: undefined };
    if (client === undefined) request.headers['traceparent'] = traceparentOf(span);
    this.showPath ??= pathShower(request.app.router);
    const path = this.showPath(request.url);
    response.once('close', () => {
      if (!response.writableFinished) recorded.failure ??= 'aborted';
      end(recorded, request, response, path);
    });
    return recorded;
  }

  private readonly noteError = (error: unknown): void => {
    const recorded = this.recorded.getStore();
    if (recorded !== undefined && Number(error) >= ErrorValue.Unexpected) recorded.failure = String(error);
  };
}

/** The span of the client; undefined when it tells of none. */
function clientOf({ headers: { traceparent } }: Request): SpanContext | undefined {
  const client = parseTraceparent(traceparent);
  if (client === undefined) return undefined;
  // Where a valid one has them.
  const traceFlags = Number.parseInt(String(traceparent).slice(53, 55), 16);
  return { traceId: client.traceId, spanId: client.parentSpanId, traceFlags, isRemote: true };
}

/** For the log, which shows the trace of a request. */
function traceparentOf(span: Span): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

function end({ span, failure }: Recorded, request: Request, response: Response, path: string): void {
  const isKnown = METHODS.has(request.method);
  const { path: route } = (request.route ?? {}) as { readonly path?: string };
  const name = isKnown ? request.method : 'HTTP';
  span.updateName(route === undefined ? name : `${name} ${route}`);
  span.setAttributes({
    'http.request.method': isKnown ? request.method : '_OTHER',
    'url.scheme': 'http',
    'url.path': path,
    ...(route !== undefined && { 'http.route': route }),
    ...(response.headersSent && { 'http.response.status_code': response.statusCode }),
    ...(failure !== undefined && { 'error.type': failure }),
  });
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
