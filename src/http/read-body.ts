import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { ClientDeadline } from './client-deadline.js';

/** Whether the message has a body at all (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

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
    throw new ApiException(
      ErrorValue.UnsupportedMediaType,
      `The body must be ${mediaTypes.join(' or ')} in UTF-8.`,
      { headers: { [method === 'PATCH' ? 'Accept-Patch' : 'Accept']: mediaTypes.join(', ') } },
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
  welcomeBody(request, response);
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) reject(tooLarge(limit));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', (cause) => reject(endedTooSoon(cause)));
  });
}

/** The parts of a body as they come; no more is read than is asked for, so that a client which is too fast has to wait. */
export async function* streamBody(
  request: IncomingMessage,
  response: ServerResponse,
  deadline: ClientDeadline,
): AsyncGenerator<Buffer> {
  welcomeBody(request, response);
  try {
    deadline.start();
    // A body of which the rest is refused is not to take the connection, and the answer, with it.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      deadline.stop();
      yield chunk as Buffer;
      deadline.start();
    }
  } catch (cause) {
    throw endedTooSoon(cause);
  } finally {
    deadline.stop();
  }
}

/** Tells a client that asked before it sends its body to send it, now that its headers are accepted (RFC 9110, section 10.1.1). */
function welcomeBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersion === '1.1') {
    response.writeContinue();
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

function endedTooSoon(cause: unknown): ApiException {
  return new ApiException(ErrorValue.MalformedRequest, 'The request ended before its body did.', { cause });
}

function tooLarge(limit: number): ApiException {
  return new ApiException(ErrorValue.BodyTooLarge, `The body must not be larger than ${limit} bytes.`);
}
