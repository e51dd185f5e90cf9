import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { JSON_TYPES, PATCH_TYPES } from './media-types.js';

/** Whether the message has a body at all (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Refuses a body that is not plain JSON in UTF-8 with 415; what a PATCH brings is a merge patch. */
export function assertJsonMediaType({ headers, method }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transferEncoding = 'chunked' } =
    headers;
  if (encoding.toLowerCase() !== 'identity' || transferEncoding.toLowerCase() !== 'chunked') {
    throw new ApiException(ErrorValue.UnsupportedMediaType, 'The body must not be compressed or encoded.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  const isPatch = method === 'PATCH';
  const accepted = isPatch ? PATCH_TYPES : JSON_TYPES;
  if (!isInUtf8(headers['content-type'], accepted)) {
    throw new ApiException(
      ErrorValue.UnsupportedMediaType,
      `The body must be ${accepted.join(' or ')} in UTF-8.`,
      { headers: { [isPatch ? 'Accept-Patch' : 'Accept']: accepted.join(', ') } },
    );
  }
}

/**
 * Reads the whole body, `limit` bytes at most.
 *
 * @throws ApiException 41300 as soon as the announced or the received length passes the limit.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  // Only now, with the headers accepted, is the client told to send what it announced (RFC 9110, section 10.1.1).
  if (request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersion === '1.1') {
    response.writeContinue();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) reject(tooLarge(limit));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', (cause) =>
      reject(
        new ApiException(ErrorValue.MalformedRequest, 'The request ended before its body did.', { cause }),
      ),
    );
  });
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

function tooLarge(limit: number): ApiException {
  return new ApiException(ErrorValue.BodyTooLarge, `The body must not be larger than ${limit} bytes.`);
}
