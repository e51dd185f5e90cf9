/** Where a request belongs in the trace of its client (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  /** Id of the span of the client that sent the request. */
  readonly parentSpanId: string;
}

/** Version 00, and what every later version begins with (W3C Trace Context, sections 3.2.2 and 4.3). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** What a `traceparent` header says; undefined when there is none that is valid. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, parentSpanId, more] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || parentSpanId === undefined) return undefined;
  return version === '00' && more !== undefined ? undefined : { traceId, parentSpanId };
}
