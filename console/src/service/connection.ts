import { Signal } from '@preact/signals';
import type { Error as ErrorBody } from '../../../clients/typescript/src/contract.ts';
import { parseJson, writeJson } from '../exact-json.ts';
import { texts } from '../texts.ts';
import { takeEarly } from './first-page.ts';
import { session, type Session } from './session.ts';

/** The service is one up from the page, under whatever name that was reached. */
const SERVICE = '../';

const LONGEST_PAUSE_MS = 15_000;

/** The statuses of requests that changed nothing and may be sent again. */
const AGAIN = new Set([429, 503]);

/** What a request waits for before it is sent again; nothing that was typed is lost by that. */
export interface RetryState {
  readonly reason: 'token' | 'service';
  readonly message: string;
}

export interface Request {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, a `bigint` as an integer. */
  readonly body?: unknown;
  readonly text?: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether to send it again would do it twice, so that the user has to decide when its answer is lost. */
  readonly isOnce?: boolean;
}

/** A refusal of the service, in its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** The field of the body that is at fault, if one is: the message begins with its name. */
  get field(): string | undefined {
    return /^\w+/.exec(this.message)?.[0];
  }
}

/** What requests wait for now. */
export const retryState = new Signal<RetryState | undefined>(undefined);

// The next token ends it, also when the request that asked for one was given up meanwhile.
session.subscribe(() => {
  if (retryState.value?.reason === 'token') retryState.value = undefined;
});

/**
 * Sends a request, and again while the service is away or busy, or the token has ended: then with the next one.
 *
 * @throws Refusal when the service refuses it, or when its answer is lost and it may not be sent again; DOMException when it is
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

/** Sends a read once, whatever comes of it; undefined when there is no answer. */
export async function probe(
  path: string,
  signal: AbortSignal,
  headers: Request['headers'] = {},
): Promise<Response | undefined> {
  return attemptTo('GET', path, { signal, headers });
}

/** Sends a request, and reads the JSON of its answer. */
export async function ask<Body>(...request: Parameters<typeof send>): Promise<Body> {
  return readJson(await send(...request));
}

/** The body of an answer. */
export async function readJson<Body>(response: Response): Promise<Body> {
  return parseJson(await response.text()) as Body;
}

/** Where the page after that of an answer begins (RFC 8288); undefined on the last one. */
export function nextPlace(response: Response): string | undefined {
  const [, next] = /<\?([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
  return new URLSearchParams(next).get('after') ?? undefined;
}

/** The answer to one attempt; undefined when there is none. */
async function attemptTo(
  method: string,
  path: string,
  { query = {}, headers = {}, body, text, signal }: Request,
): Promise<Response | undefined> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given as string[][]).toString();
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
    // What the service says is said to this token, and entity tags are the console's own matter.
    cache: 'no-store',
    credentials: 'omit',
  };
  try {
    return (await takeEarly(address)) ?? (await fetch(address, init));
  } catch {
    return undefined;
  }
}

/** Why a request was refused, or has no answer. */
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

/** Waits for the sign-in after the one that was used. */
async function nextSession(used: Session | undefined, message: string, signal?: AbortSignal): Promise<void> {
  if (session.value !== used) return;
  retryState.value = { reason: 'token', message };
  await until(signal, (resolve, over) => {
    const end = session.subscribe((next) => next && next !== used && resolve());
    over.addEventListener('abort', end);
  });
}

/** Ends every pause, as the network does when it returns. */
export function retryNow(): void {
  dispatchEvent(new Event('online'));
}

/** Waits for some milliseconds, the network or the user, whichever is first. Returns the state to clear when the next attempt is over. */
export async function pause(
  message: string,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<RetryState> {
  const mine: RetryState = { reason: 'service', message };
  // Who has to sign in has to know it.
  if (retryState.value?.reason !== 'token') retryState.value = mine;
  try {
    await until(signal, (resolve, over) => {
      setTimeout(resolve, milliseconds);
      addEventListener('online', resolve, { signal: over });
    });
  } catch (error) {
    clear(mine);
    throw error;
  }
  return mine;
}

/** Ends a state, unless another request waits meanwhile. */
export function clear(state: RetryState | undefined): void {
  if (retryState.value === state) retryState.value = undefined;
}

/** Waits for what `begin` begins to wait for, until `over` is aborted. */
async function until(
  signal: AbortSignal | undefined,
  begin: (resolve: () => void, over: AbortSignal) => void,
): Promise<void> {
  const over = new AbortController();
  await new Promise<void>((resolve, reject) => {
    begin(resolve, over.signal);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal });
  }).finally(() => over.abort());
}

function pauseOf(response: Response | undefined, attempt: number): number {
  const seconds = Number(response?.headers.get('Retry-After') ?? 0);
  return Math.min(Math.max(seconds, 2 ** (attempt - 1)) * 1000, LONGEST_PAUSE_MS);
}

/** The chunks of a stream, which is cancelled when nobody wants more; Safari has no iterator of its own for them. */
export async function* chunksOf<Chunk>(stream: ReadableStream<Chunk> | null): AsyncGenerator<Chunk> {
  const reader = stream?.getReader();
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value;
  } finally {
    await reader?.cancel();
  }
}

/** The whole lines of a stream of text, some at a time; a last line that has no end is none. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}
