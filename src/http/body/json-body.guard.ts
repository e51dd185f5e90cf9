import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request, Response } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { waitFor } from '../../logging/request-context.js';
import { parseJsonObject } from './exact-json.js';
import { assertMediaType, JSON_TYPES, PATCH_TYPES } from './media-types.js';
import { readBody } from './read-body.js';

/**
 * Reads the JSON body of each handler that has a `@Body()`.
 *
 * Guards run after authentication, unlike middleware: an upload without a token is refused unread. Unlike an interceptor, a
 * guard puts no observable around the handler.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  private readonly expectations = new WeakMap<object, boolean>();

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!this.expectsBody(context)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!hasBody(request)) throw new ApiException(ErrorValue.MalformedBody, 'The body must not be empty.');
    assertMediaType(request, request.method === 'PATCH' ? PATCH_TYPES : JSON_TYPES);
    const body = await waitFor('body', readBody(http.getResponse<Response>().exchange));
    request.body = parseJsonObject(body, 'The body');
    return true;
  }

  private expectsBody(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let expected = this.expectations.get(handler);
    if (expected === undefined) {
      const parameters: object =
        Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {};
      expected = Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
      this.expectations.set(handler, expected);
    }
    return expected;
  }
}

/** Whether the message has a body (RFC 9112, section 6.3). */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
