import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request, Response } from 'express';
import { Settings } from '../../config/settings.js';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { waitFor } from '../../logging/request-context.js';
import { awaitTurn } from '../connection/turns.js';
import { parseJsonObject } from './json-object.js';
import { JSON_TYPES, PATCH_TYPES } from './media-types.js';
import { assertMediaType, hasBody, readBody } from './read-body.js';

/** Bytes from which on a body takes milliseconds. */
const LARGE_BODY = 65_536;

/**
 * Reads the JSON body of every handler that asks for it with `@Body()`, and admits only a JSON object in UTF-8.
 *
 * A guard, because guards run before pipes and, unlike middleware, after authentication: an upload without a token is
 * refused unread. Unlike an interceptor it puts no observable around the handler.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  private readonly expectations = new WeakMap<object, boolean>();

  constructor(private readonly settings: Settings) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!this.expectsBody(context)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!hasBody(request)) throw new ApiException(ErrorValue.MalformedBody, 'The body must not be empty.');
    assertMediaType(request, request.method === 'PATCH' ? PATCH_TYPES : JSON_TYPES);
    const { exchange } = http.getResponse<Response>();
    const body = await waitFor('body', readBody(exchange, this.settings.bodyLimit));
    const turn = body.length > LARGE_BODY ? awaitTurn() : undefined;
    if (turn !== undefined) await waitFor('turn', turn);
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
