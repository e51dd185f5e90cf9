import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** Whether the message has a body at all (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Refuses a body that is not plain JSON in UTF-8 with 415. */
export function assertJsonMediaType({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transferEncoding = 'chunked' } =
    headers;
  if (encoding.toLowerCase() !== 'identity' || transferEncoding.toLowerCase() !== 'chunked') {
    throw new ApiException(ErrorValue.UnsupportedMediaType, 'The body must not be compressed or encoded.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (!isJsonInUtf8(headers['content-type'])) {
    throw new ApiException(ErrorValue.UnsupportedMediaType, 'The body must be application/json in UTF-8.', {
      headers: { Accept: 'application/json' },
    });
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

function isJsonInUtf8(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (contentType === undefined) return false;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

function tooLarge(limit: number): ApiException {
  return new ApiException(ErrorValue.BodyTooLarge, `The body must not be larger than ${limit} bytes.`);
}
