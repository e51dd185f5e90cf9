import type { Logger } from '@nestjs/common';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Spans that wait to be exported at most; more are lost. */
const MAX_WAITING = 2_048;

/** How long the collector may take for an export, with a second try. */
const EXPORT_TIMEOUT_MS = 2_000;

const WARNING_INTERVAL_MS = 60_000;

/** Exports spans, many at once, and warns of those that are lost, once a minute. */
export class SpanQueue implements SpanProcessor {
  private readonly exporter: OTLPTraceExporter;
  private readonly queue: BatchSpanProcessor;
  private waiting = 0;
  private lost = 0;
  private warnedAt = -Infinity;

  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    this.exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS });
    this.queue = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => {
          this.waiting -= spans.length;
          this.exporter.export(spans, (result) => {
            if (result.error !== undefined) this.lose(spans.length, result.error.message);
            done(result);
          });
        },
        shutdown: () => this.exporter.shutdown(),
      },
      maxQueueSize: MAX_WAITING,
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.waiting === MAX_WAITING) return this.lose(1, 'too many are waiting');
    this.waiting += 1;
    this.queue.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.queue.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.queue.shutdown();
  }

  private lose(spans: number, why: string): void {
    this.lost += spans;
    const now = performance.now();
    if (now - this.warnedAt < WARNING_INTERVAL_MS) return;
    this.logger.warn(`Lost spans: ${this.lost}. Why the latest: ${why}.`);
    this.warnedAt = now;
    this.lost = 0;
  }
}
