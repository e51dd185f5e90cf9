import { AsyncLocalStorage } from 'node:async_hooks';

/** Where a request belongs in a trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  /** Id of the span of the client that sent the request. */
  readonly parentSpanId: string;
}

/** What the log knows of a request while it is under way. */
export class RequestContext {
  /** Whether it takes as long as its data, as an import does. */
  isStream = false;

  constructor(
    /** The `X-Request-Id` of the response. */
    readonly id: string,
    public trace: TraceContext | undefined,
    readonly request: {
      readonly user?: { readonly id?: string } | undefined;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    },
  ) {}

  /** The id of the authenticated caller. */
  get caller(): string | undefined {
    return this.request.user?.id;
  }
}

const contexts = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs `work`, and everything it starts, on behalf of a request, or of none. */
export function runOnBehalfOf(request: RequestContext | undefined, work: () => void): void {
  contexts.run(request, work);
}

/** The request on whose behalf the caller runs; undefined outside of any. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}

/** Whether the current request asks to refuse unknown fields instead of ignoring them (RFC 7240, section 4.4). */
export function prefersStrict(): boolean {
  return /(?:^|[,;\s])handling\s*=\s*"?strict\b/i.test(String(currentRequest()?.request.headers['prefer']));
}

/** Version 00, and what every later version begins with (W3C Trace Context, sections 3.2.2 and 4.3). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** Reads a `traceparent` header; undefined without a valid one. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  const [, version, traceId, parentSpanId, more] = TRACEPARENT.exec(String(header)) ?? [];
  if (traceId === undefined || parentSpanId === undefined) return undefined;
  return version === '00' && more !== undefined ? undefined : { traceId, parentSpanId };
}
