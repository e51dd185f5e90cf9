import { Signal } from '@preact/signals';
import type { Error as ErrorBody } from '../../../clients/typescript/src/contract.ts';
import { parseJson, writeJson } from '../exact-json.ts';
import { texts } from '../texts.ts';
import { session, type Session } from './session.ts';

/** The service is one level above the page, also behind a proxy with a path. */
const SERVICE = '../';

const LONGEST_PAUSE_MS = 15_000;

/** Statuses that are safe to retry: nothing was changed. */
const AGAIN = new Set([429, 503]);

/** Why requests wait before they are retried. */
export interface RetryState {
  readonly reason: 'token' | 'service';
  readonly message: string;
}

interface Request {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly text?: string;
  readonly signal?: AbortSignal | undefined;
  /** Not idempotent: after a lost response, the user decides. */
  readonly isOnce?: boolean;
}

/** An error response, with the message of the service. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** The invalid field: messages about one begin with its name. */
  get field(): string | undefined {
    return /^\w+/.exec(this.message)?.[0];
  }
}

/** Why requests wait now. */
export const retryState = new Signal<RetryState | undefined>(undefined);

// A sign-in ends it, even if the request that needed it was aborted.
session.subscribe(() => {
  if (retryState.value?.reason === 'token') retryState.value = undefined;
});

/**
 * Sends a request. Retries while the service is unreachable or busy, and after the next sign-in if the token is invalid.
 *
 * @throws Refusal when the service refuses it, or the response to a request that `isOnce` is lost; DOMException when it is
 *   aborted.
 */
export async function send(method: string, path: string, request: Request = {}): Promise<Response> {
  let paused: RetryState | undefined;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const used = session.value;
      const response = await attemptTo(method, path, request);
      if (response?.ok) return response;
      request.signal?.throwIfAborted();
      const refusal = await refusalOf(response);
      if (refusal.status === 401) await nextSession(used, refusal.message, request.signal);
      else if (AGAIN.has(refusal.status) || (response === undefined && !request.isOnce))
        paused = await pause(refusal.message, pauseOf(response, attempt), request.signal);
      else throw refusal;
    }
  } finally {
    clear(paused);
  }
}

/** Sends a GET once, without retries; undefined if there is no response. */
export async function probe(
  path: string,
  signal: AbortSignal,
  headers: Request['headers'] = {},
): Promise<Response | undefined> {
  return attemptTo('GET', path, { signal, headers });
}

/** Sends a request and parses the response. */
export async function ask<Body>(...request: Parameters<typeof send>): Promise<Body> {
  return readJson(await send(...request));
}

export async function readJson<Body>(response: Response): Promise<Body> {
  return parseJson(await response.text()) as Body;
}

/** The cursor of the next page, from the `Link` header (RFC 8288); undefined on the last page. */
export function nextPlace(response: Response): string | undefined {
  const [, next] = /<\?([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
  return new URLSearchParams(next).get('after') ?? undefined;
}

/** Sends a request once; undefined if there is no response. */
async function attemptTo(
  method: string,
  path: string,
  { query = {}, headers = {}, body, text, signal }: Request,
): Promise<Response | undefined> {
  const members = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(members as string[][]).toString();
  const address = `${SERVICE}${path}${parameters && `?${parameters}`}`;
  const init: RequestInit = {
    method,
    headers: {
      ...(session.value && { Authorization: `Bearer ${session.value.token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: text ?? (body === undefined ? null : writeJson(body)),
    signal: signal ?? null,
    // Responses depend on the token, and the console handles entity tags itself.
    cache: 'no-store',
    credentials: 'omit',
  };
  try {
    return await fetch(address, init);
  } catch {
    return undefined;
  }
}

/** The error of a response, or of a missing one. */
export async function refusalOf(response: Response | undefined): Promise<Refusal> {
  if (response === undefined) return new Refusal(0, texts.offline);
  const text = await response.text().catch(() => '');
  try {
    const { message } = JSON.parse(text) as ErrorBody;
    return new Refusal(response.status, message);
  } catch {
    return new Refusal(response.status, `The service returned ${response.status}.`);
  }
}

/** Waits for a sign-in other than `used`. */
async function nextSession(used: Session | undefined, message: string, signal?: AbortSignal): Promise<void> {
  if (session.value !== used) return;
  retryState.value = { reason: 'token', message };
  await until(signal, (resolve) => session.subscribe((next) => next && next !== used && resolve()));
}

/** How often every pause was ended: when the network is back, or by the user. */
const retries = new Signal(0);

/** Ends every pause. */
export function retryNow(): void {
  retries.value += 1;
}

addEventListener('online', retryNow);

/** Waits for the time-out, the network or the user. Returns the state to clear after the next attempt. */
export async function pause(
  message: string,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<RetryState> {
  const mine: RetryState = { reason: 'service', message };
  // Keep the sign-in dialog open.
  if (retryState.value?.reason !== 'token') retryState.value = mine;
  try {
    await until(signal, (resolve) => {
      setTimeout(resolve, milliseconds);
      const now = retries.peek();
      return retries.subscribe((count) => count > now && resolve());
    });
  } catch (error) {
    clear(mine);
    throw error;
  }
  return mine;
}

/** Clears a state, unless another one has replaced it. */
export function clear(state: RetryState | undefined): void {
  if (retryState.value === state) retryState.value = undefined;
}

/** Waits until `begin` calls its argument, or `signal` is aborted; then calls what `begin` returned. */
async function until(
  signal: AbortSignal | undefined,
  begin: (resolve: () => void) => () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  const end = begin(resolve);
  await promise.finally(() => {
    end();
    signal?.removeEventListener('abort', abort);
  });
}

function pauseOf(response: Response | undefined, attempt: number): number {
  const seconds = Number(response?.headers.get('Retry-After') ?? 0);
  return Math.min(Math.max(seconds, 2 ** (attempt - 1)) * 1000, LONGEST_PAUSE_MS);
}

/** The complete lines of a response, in batches. Stopping early cancels it. */
export async function* linesOf({ body }: Response): AsyncGenerator<string[]> {
  // Safari cannot iterate over a stream.
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      const lines = (rest + next.value).split('\n');
      rest = lines.pop() ?? '';
      yield lines;
    }
  } finally {
    await reader?.cancel();
  }
}
