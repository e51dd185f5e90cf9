import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from './trace-context.js';

/** What a request may wait for: its body, its turn or its batch, the database, and the client that takes the response. */
export type Wait = 'body' | 'turn' | 'database' | 'client';

/** What the log knows of a request while it is under way. */
export class RequestContext {
  /** Milliseconds that it has waited for each. */
  readonly waited: Record<Wait, number> = { body: 0, turn: 0, database: 0, client: 0 };
  /** When its response was written (`performance.now()`); undefined before, and for one that streams. */
  answeredAt: number | undefined;
  /** Whether it takes as long as its data, as an import does. */
  isStream = false;

  constructor(
    /** The `X-Request-Id` of the response. */
    readonly id: string,
    readonly trace: TraceContext | undefined,
  ) {}
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

/** Counts for the current request how long it waits for this. */
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
