import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { type Exchange, exchangeOf } from '../connection/exchange.js';
import { parseJsonObject } from './exact-json.js';
import { assertMediaType, JSON_TYPES, PATCH_TYPES } from './media-types.js';

/** The maximum bytes of a body, or of a line of an import. */
export const MAX_BODY_BYTES = 131_072;

/**
 * Reads the JSON body of each handler that has a `@Body()`, and lets other handlers read theirs.
 *
 * Guards run after authentication, unlike middleware: an upload without a token is refused unread. Unlike an interceptor, a
 * guard puts no observable around the handler.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<Request>();
    // Some body readers never notice that the client has left.
    if (request.destroyed && !request.complete) throw endedTooSoon(request.errored);
    return this.expectsBody(context) ? this.readJson(request) : true;
  }

  private async readJson(request: Request): Promise<true> {
    if (!hasBody(request)) throw new ApiException(ErrorValue.MalformedBody, 'The body must not be empty.');
    assertMediaType(request, request.method === 'PATCH' ? PATCH_TYPES : JSON_TYPES);
    request.body = parseJsonObject(await readBody(request), 'The body');
    return true;
  }

  /** Whether the handler has a `@Body()`, which NestJS itself tells to its pipes only, after the guards. */
  private expectsBody(context: ExecutionContext): boolean {
    const { name } = context.getHandler();
    const parameters: object = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {};
    return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
  }
}

/** Reads the whole body. @throws ApiException 41300 when it is too large, 40003 or 40800 when it breaks off or takes too long */
async function readBody(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BODY_BYTES) reject(tooLarge());
      else pieces.push(piece);
    });
    request.on('end', () => resolve(Buffer.concat(pieces)));
    request.on('error', (cause) => reject(endedTooSoon(cause)));
  });
}

/** Yields the parts of a body as they arrive, no faster than the caller asks for them. */
export async function* streamBody(response: ServerResponse): AsyncGenerator<Buffer> {
  const exchange = exchangeOf(response);
  const { request } = exchange;
  if (exchange.failure !== undefined) throw exchange.failure;
  exchange.isStreaming = true;
  for (;;) {
    const part = request.read() as Buffer | null;
    if (part !== null) yield part;
    else if (request.complete) return;
    else await nextPart(exchange);
  }
}

/** 41300 */
function tooLarge(): ApiException {
  return new ApiException(
    ErrorValue.BodyTooLarge,
    `The body must not be larger than ${MAX_BODY_BYTES} bytes.`,
  );
}

async function nextPart({ request, failure, requestTimeout }: Exchange): Promise<void> {
  if (failure !== undefined) throw failure;
  if (request.destroyed) throw endedTooSoon(request.errored);
  const timeout = AbortSignal.timeout(requestTimeout);
  try {
    await once(request, 'readable', { signal: timeout });
  } catch (cause) {
    if (!timeout.aborted) throw endedTooSoon(cause);
    throw new ApiException(ErrorValue.RequestTimeout, 'The request did not arrive in time.');
  }
}

/** 40003, or the failure that ended the body. */
export function endedTooSoon(cause: unknown): ApiException {
  if (cause instanceof ApiException) return cause;
  return new ApiException(ErrorValue.MalformedRequest, 'The request ended before its body did.', { cause });
}

/** Whether the message has a body (RFC 9112, section 6.3). */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
