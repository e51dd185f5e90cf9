import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request, Response } from 'express';
import { Settings } from '../config/settings.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { parseExactJson, TooDeepError } from './exact-json.js';
import { assertJsonMediaType, hasBody, readBody } from './read-body.js';

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
    if (!hasBody(request)) throw malformed('The body must not be empty.');
    assertJsonMediaType(request);
    const body = await readBody(request, http.getResponse<Response>(), this.settings.bodyLimit);
    request.body = parseObject(body);
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

function parseObject(body: Buffer): object {
  if (!isUtf8(body)) throw malformed('The body must be encoded in UTF-8.');
  let value: unknown;
  try {
    value = parseExactJson(body.toString());
  } catch (error) {
    if (error instanceof TooDeepError) throw malformed(error.message);
    if (error instanceof SyntaxError) throw malformed('The body must be valid JSON.');
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body must be a JSON object.');
  }
  return value;
}

function malformed(message: string): ApiException {
  return new ApiException(ErrorValue.MalformedBody, message);
}
