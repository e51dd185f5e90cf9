import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';

/** A merge patch of a JSON object (RFC 7396). */
const MERGE_PATCH = 'application/merge-patch+json';

export const JSON_TYPES = ['application/json'];

export const PATCH_TYPES = [MERGE_PATCH, ...JSON_TYPES];

/** One JSON value per line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON = 'application/x-ndjson';

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const EVENT_STREAM = 'text/event-stream';

/** Refuses a body that is compressed, or of none of these media types in UTF-8, with 415. */
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

function isInUtf8(contentType: string | undefined, mediaTypes: readonly string[]): boolean {
  if (contentType === undefined) return false;
  if (mediaTypes.includes(contentType)) return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return mediaTypes.includes(essence) && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}
