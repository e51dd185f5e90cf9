import { ApiError } from './api-error.ts';
import { JSON_TYPE } from './json.ts';

export interface Options {
  /** The address of the service, such as `https://plants.example.org`. */
  readonly url: string;
  /** The access token, or a function that returns the current one. */
  readonly token: string | (() => string | Promise<string>);
  /** How many times a request that may be repeated is sent again, at most: 4 by default. */
  readonly retries?: number;
  /** What sends requests, instead of the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
}

/** What every operation takes. */
export interface RequestOptions {
  /** Ends the operation, which then throws the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The conditions under which a plant is written. */
export interface Conditions extends RequestOptions {
  /** The entity tag that the plant must still have, or `*` if it only has to exist. */
  readonly ifMatch?: string | undefined;
}

type Parameter = string | number | bigint | boolean | readonly bigint[] | undefined;

interface Request extends RequestOptions {
  readonly query?: object | undefined;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** Whether it does no harm to send the request again when nobody knows what became of it. */
  readonly isRepeatable?: boolean;
}

/** Sends requests to one service. */
export class Connection {
  readonly #options: Options;
  readonly #address: string;

  constructor(options: Options) {
    this.#options = options;
    this.#address = options.url.replace(/\/+$/, '');
  }

  /**
   * Sends a request, and again if it may be repeated and has failed for a while.
   *
   * @param read reads the response: if it breaks off, the request is sent again as well.
   * @throws ApiError when the service refuses the request, TypeError when there is no response.
   */
  async send<Result>(
    method: string,
    path: string,
    request: Request,
    read: (response: Response) => Promise<Result> | Result,
  ): Promise<Result> {
    const { signal, ifMatch, ifNoneMatch } = request;
    // A repeated write would not meet a condition that the write itself has changed.
    const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined;
    const { isRepeatable = ['GET', 'PUT', 'DELETE'].includes(method) && !isConditional } = request;
    const retries = isRepeatable ? (this.#options.retries ?? 4) : 0;
    const { fetch = globalThis.fetch } = this.#options;
    for (let attempts = 1; ; attempts += 1) {
      const prepared = await this.#prepare(method, path, request);
      try {
        const response = await fetch(prepared);
        if (!response.ok) throw await ApiError.of(response, attempts);
        return await read(response);
      } catch (error) {
        signal?.throwIfAborted();
        const isTemporary = !(error instanceof ApiError) || error.isTemporary;
        if (attempts > retries || !isTemporary) throw error;
        await pause(delayAfter(error, attempts), signal);
      }
    }
  }

  async #prepare(method: string, path: string, request: Request): Promise<globalThis.Request> {
    const { query = {}, accept = JSON_TYPE, contentType, body, ifMatch, ifNoneMatch, signal } = request;
    const { token } = this.#options;
    const headers = {
      Authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
      Accept: accept,
      ...(contentType !== undefined && { 'Content-Type': contentType }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
    };
    return new Request(`${this.#address}${path}${queryOf(query)}`, {
      method,
      headers,
      body: body ?? null,
      signal: signal ?? null,
    });
  }
}

function queryOf(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, Parameter][])
    for (const one of [value ?? []].flat()) parameters.append(name, String(one));
  const text = parameters.toString();
  return text && `?${text}`;
}

/** Milliseconds until the next attempt: as the service says, or twice as long each time, so that clients do not come together. */
function delayAfter(error: unknown, attempts: number): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, 100 * 2 ** attempts) * (1 + Math.random() / 4);
}

/** Waits, unless the signal ends it. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
