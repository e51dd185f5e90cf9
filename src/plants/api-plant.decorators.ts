import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiResponse } from '@nestjs/swagger';
import { StoredPlantDto } from './dto/stored-plant.dto.js';

const TEXT = { type: 'string' } as const;

const ENTITY_TAG = { description: 'The entity tag of the plant.', schema: TEXT, required: true };

/** Documents the id in the path of an operation on one plant. */
export function ApiPlantId(): MethodDecorator {
  return ApiParam({
    name: 'id',
    description:
      'Identification number of the plant, written as a plain integer: `7`, not `07`, `+7` or `7.0`.',
    schema: { type: 'integer', format: 'int64' },
    example: 1,
  });
}

/** Documents an answer with a plant and its entity tag. */
export function ApiPlantResponse(status: HttpStatus, description: string): MethodDecorator {
  return ApiResponse({ status, type: StoredPlantDto, description, headers: { ETag: ENTITY_TAG } });
}

/** Documents an answer with a plant as the client sent it, and its entity tag unless a part of that was ignored. */
export function ApiSentPlantResponse(status: HttpStatus, description: string): MethodDecorator {
  const entityTag = {
    description: 'The entity tag of the plant; absent when a member of the body was ignored.',
    schema: TEXT,
  };
  return ApiResponse({ status, type: StoredPlantDto, description, headers: { ETag: entityTag } });
}

/** Documents the headers with which a client reads only what it does not have. */
export function ApiReadConditions(): MethodDecorator {
  return applyDecorators(
    condition('If-None-Match', 'Entity tags of plants that the client has: for those the answer is 304.'),
    condition('If-Match', 'Entity tags of which the plant has to have one, or `*`.'),
    ApiResponse({
      status: HttpStatus.NOT_MODIFIED,
      description: 'The client has this plant already.',
      headers: { ETag: ENTITY_TAG },
    }),
  );
}

/** Documents the header with which a client changes only what it has seen. */
export function ApiWriteCondition(): MethodDecorator {
  return condition(
    'If-Match',
    'Entity tags of which the plant has to have one, or `*` when it only has to exist.',
  );
}

/** Documents the header with which a client creates only what is not there. */
export function ApiCreateCondition(): MethodDecorator {
  return condition('If-None-Match', '`*`: there must be no such plant.');
}

/** Documents the header that leads from one page of a list to the next. */
export function ApiListResponse(description: string): MethodDecorator {
  return ApiResponse({
    status: HttpStatus.OK,
    type: StoredPlantDto,
    isArray: true,
    description,
    headers: {
      Link: {
        description:
          'The next page as `<…>; rel="next"` (RFC 8288), relative to this one; absent on the last.',
        schema: TEXT,
        example: '<?limit=100&after=100>; rel="next"',
      },
    },
  });
}

function condition(name: string, description: string): MethodDecorator {
  return ApiHeader({ name, description, schema: TEXT });
}
