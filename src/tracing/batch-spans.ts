import { ROOT_CONTEXT, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { describeError } from '../logging/describe-error.js';
import { type Batch, batches, waitingWrites } from '../store/group-commit.js';
import type { RequestSpans } from './request-spans.js';

/**
 * Makes a span of each batch with a write of a request that has one.
 *
 * A batch belongs to many requests, so it is a trace of its own. Links lead from it to its requests, and from them to it.
 */
export class BatchSpans {
  /** The requests whose writes wait. */
  private readonly requests = new WeakMap<object, Span>();
  private readonly written = new WeakMap<object, Span>();

  constructor(
    private readonly tracer: Tracer,
    private readonly requestSpans: RequestSpans,
  ) {
    waitingWrites.subscribe(this.note);
    batches.start.subscribe(this.begin);
    batches.asyncEnd.subscribe(this.end);
  }

  stop(): void {
    waitingWrites.unsubscribe(this.note);
    batches.start.unsubscribe(this.begin);
    batches.asyncEnd.unsubscribe(this.end);
  }

  private readonly note = (write: unknown): void => {
    const request = this.requestSpans.current;
    if (request !== undefined) this.requests.set(write as object, request);
  };

  private readonly begin = (message: unknown): void => {
    const batch = message as Batch;
    const requests = new Set(batch.writes.flatMap((write) => this.requests.get(write) ?? []));
    if (requests.size === 0) return;
    const links = [...requests].map((request) => ({ context: request.spanContext() }));
    const attributes = { 'plant_store.batch.size': batch.writes.length };
    const span = this.tracer.startSpan('write batch', { links, attributes }, ROOT_CONTEXT);
    for (const request of requests) request.addLink({ context: span.spanContext() });
    this.written.set(batch, span);
  };

  private readonly end = (message: unknown): void => {
    const batch = message as Batch;
    const span = this.written.get(batch);
    if (span === undefined) return;
    if (batch.error !== undefined) {
      const { type, code = type } = describeError(batch.error);
      span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
}
