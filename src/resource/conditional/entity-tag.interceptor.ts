import {
  type CallHandler,
  type ExecutionContext,
  HttpStatus,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { entityTag } from './entity-tag.js';
import { isKnown, isWanted } from './preconditions.js';
import { preconditionFailed } from '../resource-errors.js';

/**
 * Adds the `ETag` of the resource that a handler answers, except to a replacement that ignored a part of what the client sent: it
 * would take that for stored (RFC 9110, section 9.3.4). A read is answered 304 when the client knows that resource already, and
 * 412 when it is not one that the client wants; a write has decided that before.
 */
@Injectable()
export class EntityTagInterceptor implements NestInterceptor<object, object | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object | undefined> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return next.handle().pipe(
      map((representation) => {
        const tag = entityTag(representation);
        if (isRead && !isWanted(request, tag)) throw preconditionFailed();
        if (request.method === 'PUT' && !isWhole(request.body as object, representation))
          return representation;
        response.setHeader('ETag', `"${tag}"`);
        if (!isRead) return representation;
        // Whoever keeps the resource asks whether it is still the same, with a token.
        response.setHeader('Cache-Control', 'private, no-cache');
        if (!isKnown(request, tag)) return representation;
        response.status(HttpStatus.NOT_MODIFIED);
        return undefined;
      }),
    );
  }
}

/** Whether every member of a body became a part of the resource; the id is that of the path, whatever the body says. */
function isWhole(body: object, representation: object): boolean {
  return Object.keys(body).every((name) => name !== 'id' && Object.hasOwn(representation, name));
}
