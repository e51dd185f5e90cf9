import {
  type CallHandler,
  type ExecutionContext,
  HttpStatus,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { isKnown, isWanted } from '../http/preconditions.js';
import type { StoredPlantDto } from './dto/stored-plant.dto.js';
import { entityTag } from './entity-tag.js';
import { preconditionFailed } from './plant-errors.js';

/**
 * Adds the `ETag` of the plant that a handler answers, except to a replacement that ignored a part of what the client sent: it
 * would take that for stored (RFC 9110, section 9.3.4). A read is answered 304 when the client knows that plant already, and
 * 412 when it is not one that the client wants; a write has decided that in its statement.
 */
@Injectable()
export class EntityTagInterceptor implements NestInterceptor<StoredPlantDto, StoredPlantDto | undefined> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<StoredPlantDto>,
  ): Observable<StoredPlantDto | undefined> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return next.handle().pipe(
      map((plant) => {
        const tag = entityTag(plant);
        if (isRead && !isWanted(request, tag)) throw preconditionFailed(plant.id);
        if (request.method === 'PUT' && !isWhole(request.body as object, plant)) return plant;
        response.setHeader('ETag', `"${tag}"`);
        if (!isRead) return plant;
        // Whoever keeps the plant asks whether it is still the same, with a token.
        response.setHeader('Cache-Control', 'private, no-cache');
        if (!isKnown(request, tag)) return plant;
        response.status(HttpStatus.NOT_MODIFIED);
        return undefined;
      }),
    );
  }
}

/** Whether every member of a body became a part of the plant; the id is that of the path, whatever the body says. */
function isWhole(body: object, plant: StoredPlantDto): boolean {
  return Object.keys(body).every((name) => name !== 'id' && Object.hasOwn(plant, name));
}
