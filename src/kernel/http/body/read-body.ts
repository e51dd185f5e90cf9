import { once } from 'node:events';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request, Response } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import type { Exchange } from '../connection/exchange.js';
import { REQUEST_TIMEOUT } from '../connection/raw-answer.js';
import { parseJsonObject } from './exact-json.js';
import { assertMediaType, JSON_TYPES, PATCH_TYPES } from './media-types.js';

/** The maximum bytes of a body, or of a line of an import. */
export const MAX_BODY_BYTES = 131_072;

/** The pieces of a body are joined when there are this many: each takes 200 bytes in addition to its content. */
const MAX_PIECES = 64;

/**
 * Reads the JSON body of each handler that has a `@Body()`, and lets other handlers read theirs.
 *
 * Guards run after authentication, unlike middleware: an upload without a token is refused unread. Unlike an interceptor, a
 * guard puts no observable around the handler.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { exchange } = http.getResponse<Response>();
    // Some body readers never notice that the client has left.
    if (request.destroyed && !request.complete) throw endedTooSoon(request.errored);
    exchange.isAdmitted = true;
    return this.expectsBody(context) ? this.readJson(request, exchange) : true;
  }

  private async readJson(request: Request, exchange: Exchange): Promise<true> {
    if (!hasBody(request)) throw new ApiException(ErrorValue.MalformedBody, 'The body must not be empty.');
    assertMediaType(request, request.method === 'PATCH' ? PATCH_TYPES : JSON_TYPES);
    request.body = parseJsonObject(await readBody(exchange), 'The body');
    return true;
  }

  private expectsBody(context: ExecutionContext): boolean {
    const { name } = context.getHandler();
    const parameters: object = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {};
    return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
  }
}

/**
 * Reads the whole body.
 *
 * @throws ApiException 41300 when it is too large, 50300 when too many bodies are incomplete, 40003 or 40800 when it breaks off
 * or takes too long.
 */
async function readBody(exchange: Exchange): Promise<Buffer> {
  const { request, failure } = exchange;
  if (failure !== undefined) throw failure;
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  exchange.isOwnReader = true;
  let pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const refuse = (reason: ApiException) => {
      request.off('data', add);
      pieces = [];
      reject(reason);
    };
    const add = (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BODY_BYTES) return refuse(tooLarge());
      pieces.push(piece);
      if (pieces.length === MAX_PIECES) pieces = [Buffer.concat(pieces)];
      exchange.countIncompleteBody(length);
    };
    request.on('data', add);
    request.on('end', () => resolve(Buffer.concat(pieces)));
    request.on('error', (cause) => refuse(endedTooSoon(cause)));
  });
}

/** Yields the parts of a body as they arrive, no faster than the caller asks for them. */
export async function* streamBody(exchange: Exchange): AsyncGenerator<Buffer> {
  const { request } = exchange;
  exchange.isOwnReader = true;
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
    throw timeout.aborted ? new ApiException(...REQUEST_TIMEOUT) : endedTooSoon(cause);
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
