import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request may wait for: its body, its turn or its batch, the database, the identity provider's keys, and the client that takes the response. */
export type Wait = 'body' | 'turn' | 'database' | 'keys' | 'client';

/** Where a request belongs in a trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  /** Id of the span of the client that sent the request. */
  readonly parentSpanId: string;
}

/** What the log knows of a request while it is under way. */
export class RequestContext {
  /** Milliseconds that it has waited for each. */
  readonly waited: Record<Wait, number> = { body: 0, turn: 0, database: 0, keys: 0, client: 0 };
  /** When its response was written (`performance.now()`); undefined before, and for one that streams. */
  answeredAt: number | undefined;
  /** Whether it takes as long as its data, as an import does. */
  isStream = false;

  constructor(
    /** The `X-Request-Id` of the response. */
    readonly id: string,
    public trace: TraceContext | undefined,
    private readonly request: { readonly user?: { readonly id?: string } | undefined },
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

/** Adds the time until the promise settles to the waits of the current request. */
export async function waitFor<Result>(what: Wait, result: PromiseLike<Result>): Promise<Result> {
  const request = currentRequest();
  if (request === undefined) return result;
  const start = performance.now();
  try {
    return await result;
  } finally {
    request.waited[what] += performance.now() - start;
  }
}

/** Version 00, and what every later version begins with (W3C Trace Context, sections 3.2.2 and 4.3). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** Reads a `traceparent` header; undefined without a valid one. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  const [, version, traceId, parentSpanId, more] = TRACEPARENT.exec(String(header)) ?? [];
  if (traceId === undefined || parentSpanId === undefined) return undefined;
  return version === '00' && more !== undefined ? undefined : { traceId, parentSpanId };
}
