import { applyDecorators, HttpStatus, type Type } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiResponse } from '@nestjs/swagger';
import { NDJSON } from '../http/body/media-types.js';
import { CONDITION } from './conditional-requests.js';

const TEXT = { type: 'string' } as const;

/** An entity tag that no resource has. */
const NO_ENTITY_TAG = '"0"';

const ENTITY_TAG = { description: 'The entity tag.', schema: TEXT, required: true };

/** Documents an int64 id in the path. */
export function ApiInt64Id(): MethodDecorator {
  return ApiParam({
    name: 'id',
    description: 'Identification number, written as a plain integer: `7`, not `07`, `+7` or `7.0`.',
    schema: { type: 'integer', format: 'int64', example: 1 },
  });
}

/** Documents an answer with a resource that the request has made, under an id of the service. */
export function ApiMade(dto: Type<object>, description: string): MethodDecorator {
  const location = {
    description: 'Where the resource is, relative to the address of the request.',
    schema: TEXT,
    required: true,
  };
  return ApiResponse({ status: HttpStatus.CREATED, type: dto, description, headers: { Location: location } });
}

/** Documents an answer with a resource and its entity tag. */
export function ApiResource(dto: Type<object>, status: HttpStatus, description: string): MethodDecorator {
  return ApiResponse({ status, type: dto, description, headers: { ETag: ENTITY_TAG } });
}

/** Documents an answer with a resource as the client sent it, and its entity tag unless a part of that was ignored. */
export function ApiSentResource(dto: Type<object>, status: HttpStatus, description: string): MethodDecorator {
  const entityTag = {
    description: 'The entity tag; absent when a member of the body was ignored.',
    schema: TEXT,
  };
  return ApiResponse({ status, type: dto, description, headers: { ETag: entityTag } });
}

/** Documents the headers with which a client reads only what it does not have. */
export function ApiReadConditions(): MethodDecorator {
  return applyDecorators(
    condition(
      'If-None-Match',
      CONDITION,
      NO_ENTITY_TAG,
      'Entity tags that the client has, or `*`: for those the answer is 304.',
    ),
    condition('If-Match', CONDITION, '*', 'Entity tags of which the resource has to have one, or `*`.'),
    ApiResponse({
      status: HttpStatus.NOT_MODIFIED,
      description: 'The client has this already.',
      headers: { ETag: ENTITY_TAG },
    }),
  );
}

/** Documents the header with which a client changes only what it has seen. */
export function ApiWriteCondition(): MethodDecorator {
  return condition(
    'If-Match',
    CONDITION,
    '*',
    'Entity tags of which the resource has to have one, or `*` when it only has to exist.',
  );
}

/** Documents the header with which a client creates only what is not there. */
export function ApiCreateCondition(): MethodDecorator {
  return condition('If-None-Match', /^\*$/, '*', '`*`: there must be no such resource.');
}

const TOTAL_COUNT = {
  'X-Total-Count': {
    description: 'How many there are on all pages; absent without `total=true`.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
} as const;

/** Documents a page of a list, the header that leads to the next one, and the total of a `CollectionQuery`. */
export function ApiPage(dto: Type<object>, description: string, { hasTotal = false } = {}): MethodDecorator {
  return ApiResponse({
    status: HttpStatus.OK,
    type: dto,
    isArray: true,
    description,
    headers: {
      Link: {
        description:
          'The next page as `<…>; rel="next"` (RFC 8288), relative to this one; absent on the last.',
        schema: TEXT,
        example: '<?limit=100&after=100>; rel="next"',
      },
      ...(hasTotal && TOTAL_COUNT),
    },
  });
}

function condition(
  name: string,
  { source: pattern }: RegExp,
  example: string,
  description: string,
): MethodDecorator {
  return ApiHeader({ name, description, schema: { ...TEXT, pattern, example } });
}

/**
 * A body of one JSON value a line, all with one schema. A class that this refers to has to be among the `@ApiExtraModels()`.
 *
 * OpenAPI 3.1 has no schema for such texts: to it they are strings with a content (JSON Schema 2020-12, section 8).
 */
export function linesSchema(items: object) {
  const contentSchema = { type: 'array', items };
  return { type: 'string', contentMediaType: NDJSON, contentSchema };
}
