import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { int64Texts } from '../../validation/int64-texts.js';

/** A merge patch of a JSON object (RFC 7396). */
const MERGE_PATCH = 'application/merge-patch+json';

export const JSON_TYPE = 'application/json';

export const JSON_TYPES = [JSON_TYPE];

export const PATCH_TYPES = [MERGE_PATCH, ...JSON_TYPES];

/** One JSON value per line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON = 'application/x-ndjson';

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const EVENT_STREAM = 'text/event-stream';

/** The parameter by which int64s are strings (OData JSON Format 4.01, section 3.2). */
export const INT64_TEXTS = 'IEEE754Compatible=true';

/** A path prefix that stands for this parameter in requests and responses, for clients that set no headers. */
export const INT64_TEXTS_PATH = '/ieee754';

const PARAMETER = /;[ \t]*ieee754compatible[ \t]*=[ \t]*("?)true\1[ \t]*(?=[;,]|$)/gi;

/** Handles a request in the form of int64s that its path and headers ask for, and removes that form from them. */
export function inInt64Form(request: IncomingMessage, handle: () => void): void {
  const { headers, url = '' } = request;
  const isPath = url.startsWith(`${INT64_TEXTS_PATH}/`);
  if (isPath) request.url = url.slice(INT64_TEXTS_PATH.length);
  const take = (name: 'accept' | 'content-type') => {
    const given = headers[name];
    if (given === undefined || !given.includes('=')) return isPath;
    headers[name] = given.replace(PARAMETER, '');
    return isPath || headers[name] !== given;
  };
  const form = { taken: take('content-type'), sent: take('accept') };
  if (form.taken || form.sent) int64Texts.run(form, handle);
  else handle();
}

/** The `Content-Type` of a response. */
export function contentType(mediaType: string): string {
  return int64Texts.getStore()?.sent ? `${mediaType};${INT64_TEXTS}` : mediaType;
}

/** Refuses, with 415, a body that is compressed, or that has none of these media types in UTF-8. */
export function assertMediaType({ headers, method }: IncomingMessage, mediaTypes: readonly string[]): void {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transferEncoding = 'chunked' } =
    headers;
  if (encoding.toLowerCase() !== 'identity' || transferEncoding.toLowerCase() !== 'chunked') {
    throw new ApiException(ErrorValue.UnsupportedMediaType, 'The body must not be compressed or encoded.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (!isInUtf8(headers['content-type'], mediaTypes)) {
    const message = `The body must be ${mediaTypes.join(' or ')} in UTF-8.`;
    throw new ApiException(ErrorValue.UnsupportedMediaType, message, {
      headers: { [method === 'PATCH' ? 'Accept-Patch' : 'Accept']: mediaTypes.join(', ') },
    });
  }
}

function isInUtf8(given: string | undefined, mediaTypes: readonly string[]): boolean {
  if (given === undefined) return false;
  if (mediaTypes.includes(given)) return true;
  try {
    const { essence, params } = new MIMEType(given);
    return mediaTypes.includes(essence) && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}
