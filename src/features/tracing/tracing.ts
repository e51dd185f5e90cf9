import { randomUUID } from 'node:crypto';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Request } from 'express';
import { serviceVersion } from '../../config/service-version.js';
import type { TracingSettings } from './tracing.settings.js';
import { answeredErrors } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { type ClosedRequest, closedRequests } from '../../logging/access-log.js';
import { currentRequest, type RequestContext } from '../../logging/request-context.js';

/** The maximum length of a text in a span: bounds the memory of spans that wait for their export. */
const MAX_TEXT = 1_024;

/** Milliseconds that an export to the collector may take, with a retry. A stop waits as long. */
const EXPORT_TIMEOUT_MS = 2_000;

/** The methods that have a name in spans (semantic conventions for HTTP). */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

const ignore = () => undefined;

/**
 * Exports a span of each request when it is over, as a part of the trace of its client.
 *
 * A span has the path as the log shows it and the request id, and nothing else that the client sent: no query, header or body. It is
 * made by hand, because OpenTelemetry's instrumentation of HTTP makes a create cost 1.7 times as much.
 */
export class Tracing implements OnApplicationShutdown {
  private readonly logger = new Logger(Tracing.name);
  private readonly queue: BatchSpanProcessor;
  private readonly tracer: Tracer;
  /** The error values of the requests that the service could not serve. */
  private readonly failures = new WeakMap<RequestContext, number>();

  constructor({ url = '', OTEL_TRACES_SAMPLER_ARG: ratio }: TracingSettings) {
    this.logLosses();
    this.queue = new BatchSpanProcessor({
      exporter: new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }),
    });
    const provider = new TracerProvider({
      // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME replace these.
      resource: resourceFromAttributes({
        'service.name': 'plant-store',
        'service.version': serviceVersion(),
        'service.instance.id': randomUUID(),
      }).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
      spanLimits: { attributeValueLengthLimit: MAX_TEXT },
      spanProcessors: [this.queue],
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    });
    this.tracer = provider.getTracer('plant-store');
    answeredErrors.subscribe(this.noteError);
    closedRequests.subscribe(this.record);
  }

  /** Exports the waiting spans. */
  async onApplicationShutdown(): Promise<void> {
    answeredErrors.unsubscribe(this.noteError);
    closedRequests.unsubscribe(this.record);
    await this.queue.shutdown().catch((error: unknown) => this.warn(error));
    diag.disable();
  }

  private readonly noteError = (error: unknown): void => {
    const request = currentRequest();
    if (request !== undefined && Number(error) >= ErrorValue.Unexpected)
      this.failures.set(request, Number(error));
  };

  private readonly record = (message: unknown): void => {
    const { request, response, context, path, durationMs } = message as ClosedRequest;
    if (context === undefined) return;
    const method = METHODS.has(request.method) ? request.method : 'HTTP';
    const { path: route } = (request.route ?? {}) as { readonly path?: string };
    const failure = this.failures.get(context) ?? (response.writableFinished ? undefined : 'aborted');
    const span = this.tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: Date.now() - durationMs,
        attributes: {
          'http.request.method': method === 'HTTP' ? '_OTHER' : method,
          'url.scheme': 'http',
          'url.path': path,
          'http.response.header.x-request-id': [context.id],
          ...(route !== undefined && { 'http.route': route }),
          ...(response.headersSent && { 'http.response.status_code': response.statusCode }),
          ...(failure !== undefined && { 'error.type': String(failure) }),
        },
      },
      parentOf(request, context),
    );
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    // For the access log.
    const { traceId, spanId } = span.spanContext();
    if (span.isRecording()) context.trace ??= { traceId, parentSpanId: spanId };
    span.end();
  };

  /** The SDK reports exports that fail, and spans for which its queue has no room. */
  private logLosses(): void {
    const warn = (message: string) => this.warn(message);
    diag.setLogger(
      { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  }

  /** As an Error, this is logged once a minute at most. */
  private warn(cause: unknown): void {
    this.logger.warn(new Error('Spans are lost', { cause }));
  }
}

/** The span of the client, if there is one. */
function parentOf({ headers: { traceparent } }: Request, { trace: client }: RequestContext) {
  if (client === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(String(traceparent).slice(53, 55), 16);
  const { traceId, parentSpanId: spanId } = client;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
