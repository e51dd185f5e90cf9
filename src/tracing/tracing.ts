import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import type { TimeoutSettings, TracingSettings } from '../config/settings.js';
import { MAX_BATCH } from '../store/group-commit.js';
import { BatchSpans } from './batch-spans.js';
import { RequestSpans } from './request-spans.js';
import { SpanQueue } from './span-queue.js';

/** Characters of a text in a span: bounds what the spans hold that wait to be exported. */
const MAX_TEXT = 1_024;

/**
 * Makes a span of each request and of each batch of writes, and exports them.
 *
 * By hand: what OpenTelemetry has for Node.js and its libraries makes a create cost three times as much.
 */
export class Tracing implements OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(Tracing.name);
  private readonly provider: TracerProvider;
  private readonly requests: RequestSpans;
  private readonly batches: BatchSpans;
  /** When a stop that has begun is to be over (`performance.now()`). */
  private deadline = 0;

  constructor(
    { url, serviceName, ratio }: TracingSettings,
    private readonly timeouts: TimeoutSettings,
    http: AbstractHttpAdapter,
  ) {
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      spanLimits: { linkCountLimit: MAX_BATCH, attributeValueLengthLimit: MAX_TEXT },
      spanProcessors: [new SpanQueue(url, this.logger)],
    });
    const tracer = this.provider.getTracer('plant-store');
    this.requests = new RequestSpans(tracer, ratio);
    this.batches = new BatchSpans(tracer, this.requests);
    http.use(this.requests.record);
  }

  onModuleDestroy(): void {
    const { shutdownDelay, shutdown } = this.timeouts;
    this.deadline = performance.now() + shutdownDelay + shutdown;
  }

  /** Exports what waits, in the time that the stop has left. */
  async onApplicationShutdown(): Promise<void> {
    this.requests.stop();
    this.batches.stop();
    const left = Math.max(0, this.deadline - performance.now());
    const isOver = await Promise.race([
      this.provider.shutdown().catch(() => undefined),
      sleep(left, 'over', { ref: false }),
    ]);
    if (isOver) this.logger.warn('The collector did not take the last spans before the stop was over.');
  }
}
