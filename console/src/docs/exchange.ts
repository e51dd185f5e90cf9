import { chunksOf } from '../service/connection.ts';
import { session } from '../service/session.ts';
import type { Operation } from './contract.ts';

const MOST_SHOWN = 1_000_000;

/** What was put into the form of an operation. */
export interface Filled {
  /** The values of parameters, by name; an empty one is not sent. */
  readonly values: Readonly<Record<string, string>>;
  readonly mediaType: string | undefined;
  readonly body: string;
}

export interface Exchange {
  readonly status: string;
  readonly isRefusal: boolean;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isCut: boolean;
}

export interface Message {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request of an operation, without its token. */
export function messageOf({ method, path, parameters = [] }: Operation, filled: Filled): Message {
  const given = (place: string) =>
    parameters.flatMap(({ name, in: where }): [string, string][] => {
      const value = filled.values[name] ?? '';
      return where === place && value !== '' ? [[name, value]] : [];
    });
  const url = new URL(`..${path}`, document.baseURI);
  for (const [name, value] of given('path'))
    url.pathname = url.pathname.replace(`%7B${name}%7D`, () => encodeURIComponent(value));
  for (const [name, value] of given('query')) url.searchParams.set(name, value);
  const { mediaType, body } = filled;
  return {
    method,
    url: url.href,
    headers: { ...Object.fromEntries(given('header')), ...(mediaType && { 'Content-Type': mediaType }) },
    ...(mediaType !== undefined && { body }),
  };
}

/** Sends a request as it is, once, and reads as much of the response as the page can show. */
export async function exchange(
  { method, url, headers, body }: Message,
  signal: AbortSignal,
): Promise<Exchange> {
  const start = performance.now();
  const response = await fetch(url, {
    method,
    headers: { ...(session.value && { Authorization: `Bearer ${session.value.token}` }), ...headers },
    ...(body !== undefined && { body }),
    cache: 'no-store',
    credentials: 'omit',
    signal,
  });
  const { body: text, isCut } = await readSome(response);
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  return {
    status: `${response.status} ${response.statusText}`,
    isRefusal: response.status >= 400,
    milliseconds: Math.round(performance.now() - start),
    headers: [...response.headers],
    body: isJson && !isCut && text !== '' ? indented(text) : text,
    isCut,
  };
}

async function readSome(response: Response): Promise<Pick<Exchange, 'body' | 'isCut'>> {
  const decoder = new TextDecoder();
  let body = '';
  for await (const part of chunksOf(response.body)) {
    body += decoder.decode(part, { stream: true });
    if (body.length > MOST_SHOWN) return { body: body.slice(0, MOST_SHOWN), isCut: true };
  }
  return { body, isCut: false };
}

/** JSON with a line for each value, and every number as it was sent: JavaScript would round large ones. */
function indented(json: string): string {
  const exact = JSON.parse(json, (_name, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' ? JSON.rawJSON(source) : value,
  ) as unknown;
  return JSON.stringify(exact, undefined, 2);
}
