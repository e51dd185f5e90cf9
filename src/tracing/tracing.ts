import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/settings.js';
import { MAX_BATCH } from '../store/group-commit.js';
import { BatchSpans } from './batch-spans.js';
import { RequestSpans } from './request-spans.js';

/** Characters of a text in a span: bounds what the spans hold that wait to be exported. */
const MAX_TEXT = 1_024;

/** How long the collector may take for an export, with a second try. A stop waits for as long. */
const EXPORT_TIMEOUT_MS = 2_000;

const ignore = () => undefined;

/**
 * Makes a span of each request and of each batch of writes, and exports them.
 *
 * By hand: what OpenTelemetry has for Node.js and its libraries makes a create cost three times as much.
 */
export class Tracing implements OnApplicationShutdown {
  private readonly logger = new Logger(Tracing.name);
  private readonly queue: BatchSpanProcessor;
  private readonly requests: RequestSpans;
  private readonly batches: BatchSpans;

  constructor({ url, serviceName, ratio }: TracingSettings, http: AbstractHttpAdapter) {
    this.logLosses();
    this.queue = new BatchSpanProcessor({
      exporter: new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }),
    });
    const options = {
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      spanLimits: { linkCountLimit: MAX_BATCH, attributeValueLengthLimit: MAX_TEXT },
      spanProcessors: [this.queue],
    };
    const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    this.requests = new RequestSpans(new TracerProvider({ ...options, sampler }).getTracer('plant-store'));
    // Without a ratio: a batch is recorded if one of its requests is.
    this.batches = new BatchSpans(new TracerProvider(options).getTracer('plant-store'), this.requests);
    http.use(this.requests.record);
  }

  /** Exports what waits. */
  async onApplicationShutdown(): Promise<void> {
    this.requests.stop();
    this.batches.stop();
    await this.queue.shutdown().catch((error: unknown) => this.warn(error));
    diag.disable();
  }

  /** The SDK tells of exports that fail, and of spans for which its queue has no room. */
  private logLosses(): void {
    const warn = (message: string) => this.warn(message);
    diag.setLogger(
      { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  }

  /** As an Error, of which the log tells once a minute. */
  private warn(cause: unknown): void {
    this.logger.warn(new Error('Spans are lost', { cause }));
  }
}
