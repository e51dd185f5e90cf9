import {
  type CallHandler,
  type ExecutionContext,
  HttpStatus,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { isKnown } from '../http/preconditions.js';
import type { StoredPlantDto } from './dto/stored-plant.dto.js';
import { entityTag } from './entity-tag.js';

/** Adds the `ETag` of the plant that a handler answers, and answers a read 304 when the client knows that plant already. */
@Injectable()
export class EntityTagInterceptor implements NestInterceptor<StoredPlantDto, StoredPlantDto | undefined> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<StoredPlantDto>,
  ): Observable<StoredPlantDto | undefined> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    return next.handle().pipe(
      map((plant) => {
        const tag = entityTag(plant);
        response.setHeader('ETag', `"${tag}"`);
        const isRead = request.method === 'GET' || request.method === 'HEAD';
        if (!isRead || !isKnown(request, tag)) return plant;
        response.status(HttpStatus.NOT_MODIFIED);
        return undefined;
      }),
    );
  }
}
