import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';

/** A merge patch of a JSON object (RFC 7396). */
const MERGE_PATCH = 'application/merge-patch+json';

export const JSON_TYPE = 'application/json';

export const JSON_TYPES = [JSON_TYPE];

export const PATCH_TYPES = [MERGE_PATCH, ...JSON_TYPES];

/** One JSON value per line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON = 'application/x-ndjson';

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const EVENT_STREAM = 'text/event-stream';

/** The name of UTF-8 and its common alias (https://encoding.spec.whatwg.org/#names-and-labels). */
const UTF8 = new Set(['utf-8', 'utf8']);

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
    return mediaTypes.includes(essence) && UTF8.has((params.get('charset') ?? 'utf-8').toLowerCase());
  } catch {
    return false;
  }
}
