import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { ByteCollector } from '../connection/byte-collector.js';
import type { Exchange } from '../connection/exchange.js';

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
    throw new ApiException(ErrorValue.UnsupportedMediaType, wrongMediaType(mediaTypes), {
      headers: { [method === 'PATCH' ? 'Accept-Patch' : 'Accept']: mediaTypes.join(', ') },
    });
  }
}

/** What is said of a body of another media type than these. */
export function wrongMediaType(mediaTypes: readonly string[]): string {
  return `The body must be ${mediaTypes.join(' or ')} in UTF-8.`;
}

/**
 * Reads the whole body, `limit` bytes at most.
 *
 * @throws ApiException 41300 as soon as the announced or the received length passes the limit, 50300 when the body takes more
 * memory than there is or too many are under way, 40003 or 40800 when it breaks off or takes too long.
 */
export async function readBody(exchange: Exchange, limit: number): Promise<Buffer> {
  const { request, failure } = exchange;
  if (failure !== undefined) throw failure;
  const announced = Number(request.headers['content-length'] ?? limit);
  if (announced > limit) throw tooLarge(limit);
  welcomeBody(exchange);
  exchange.awaitBody();
  const body = new ByteCollector(announced);
  return new Promise((resolve, reject) => {
    const refuse = (reason: unknown) => {
      request.off('data', add);
      // Not held until the client has gone.
      body.take();
      reject(reason);
    };
    const add = (chunk: Buffer) => {
      const held = body.size;
      try {
        if (body.length + chunk.length > limit) throw tooLarge(limit);
        body.add(chunk);
        exchange.hold(body.size - held);
      } catch (error) {
        refuse(error);
      }
    };
    request.on('data', add);
    request.on('end', () => resolve(body.take()));
    request.on('error', (cause) => refuse(endedTooSoon(cause)));
  });
}

/** The parts of a body as they come; no more is read than is asked for, so that a client which is too fast has to wait. */
export async function* streamBody(exchange: Exchange): AsyncGenerator<Buffer> {
  const { request } = exchange;
  exchange.isStreaming = true;
  welcomeBody(exchange);
  for (;;) {
    const chunk = request.read() as Buffer | null;
    if (chunk !== null) yield chunk;
    else if (request.complete) return;
    else await nextPart(exchange);
  }
}

async function nextPart(exchange: Exchange): Promise<void> {
  const { request, failure } = exchange;
  if (failure !== undefined) throw failure;
  if (request.destroyed) throw endedTooSoon(request.errored);
  exchange.waitingSince = performance.now();
  try {
    await once(request, 'readable');
  } catch (cause) {
    throw endedTooSoon(cause);
  } finally {
    exchange.waitingSince = undefined;
  }
}

/** Tells a client that asked before it sends its body to send it, now that its headers are accepted (RFC 9110, section 10.1.1). */
function welcomeBody({ request, response }: Exchange): void {
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
  if (cause instanceof ApiException) return cause;
  return new ApiException(ErrorValue.MalformedRequest, 'The request ended before its body did.', { cause });
}

/** 41300: the body is longer than `limit` bytes. */
export function tooLarge(limit: number): ApiException {
  return new ApiException(ErrorValue.BodyTooLarge, `The body must not be larger than ${limit} bytes.`);
}
