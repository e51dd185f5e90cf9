import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  HttpStatus,
  Param,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { ApiHeader, ApiParam, type ApiParamOptions, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { NDJSON } from '../http/body/media-types.js';
import type { Returned } from '../openapi/endpoint.decorator.js';
import { CONDITION, type Preconditions, preconditionsOf } from './conditional-requests.js';
import { Int64Pipe, TextPipe } from './key.pipes.js';

const TEXT = { type: 'string' } as const;

/** An entity tag that no resource has. */
const NO_ENTITY_TAG = '"0"';

const ENTITY_TAG = { description: 'The entity tag.', schema: TEXT, required: true };

/** Injects a key from the path and documents it. */
export function PathKey(
  name: string,
  pipe: PipeTransform | Type<PipeTransform>,
  options: Partial<ApiParamOptions>,
): ParameterDecorator {
  return (target, method, index) => {
    Param(name, pipe)(target, method, index);
    documented(ApiParam({ name, ...options }))(target, method, index);
  };
}

/** Injects the int64 `id` of the path and documents it. */
export function Int64Id(): ParameterDecorator {
  return PathKey('id', Int64Pipe, {
    description: 'Identification number, written as a plain integer: `7`, not `07`, `+7` or `7.0`.',
    schema: { type: 'integer', format: 'int64', example: 1 },
  });
}

/** An example of an id that the service has made. */
export const MADE_ID = '5f0c9a1b2d3e';

/** Injects the `id` of the path that the service has made for a resource, and documents it. */
export function MadeId(noun: string): ParameterDecorator {
  return PathKey('id', new TextPipe(64), {
    description: `The id of the ${noun}.`,
    schema: { ...TEXT, pattern: String.raw`^\w{1,64}$`, example: MADE_ID },
  });
}

/** A response with a resource that the request has made, under an id of the service. */
export function madeResponse(type: Type<object>, description: string): Returned {
  const location = {
    description: 'Where the resource is, relative to the address of the request.',
    schema: TEXT,
    required: true,
  };
  return { status: HttpStatus.CREATED, type, description, headers: { Location: location } };
}

/** A response with a resource and its entity tag. */
export function resourceResponse(
  type: Type<object>,
  description: string,
  status = HttpStatus.OK,
  entityTag: object = ENTITY_TAG,
): Returned {
  return { status, type, description, headers: { ETag: entityTag } };
}

/** A response with a resource as the client sent it, and its entity tag unless the service ignored a part of that. */
export function sentResponse(type: Type<object>, description: string, status?: HttpStatus): Returned {
  return resourceResponse(type, description, status, {
    description: 'The entity tag; absent when a member of the body was ignored.',
    schema: TEXT,
  });
}

const TOTAL_COUNT = {
  'X-Total-Count': {
    description: 'How many there are on all pages; absent without `total=true`.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
} as const;

/** The headers that lead to the next page. */
export function nextPageHeaders(presence: string) {
  return {
    Link: {
      description: `The next page as \`<…>; rel="next"\` (RFC 8288), relative to this one; ${presence}.`,
      schema: TEXT,
      example: '<?limit=100&after=100>; rel="next"',
    },
    'X-Next-After': {
      description: `The \`after\` of the next page; ${presence}.`,
      schema: TEXT,
      example: '100',
    },
  };
}

/** A response with a page of a list, the headers that lead to the next page, and the total of a `CollectionQuery`. */
export function pageResponse(type: Type<object>, description: string, { hasTotal = false } = {}): Returned {
  const headers = { ...nextPageHeaders('absent on the last'), ...(hasTotal && TOTAL_COUNT) };
  return { type, isArray: true, description, headers };
}

/** Documents the headers with which a client reads only what it does not have. */
export function ApiReadConditions(): MethodDecorator {
  return applyDecorators(
    condition(
      'If-None-Match',
      CONDITION,
      NO_ENTITY_TAG,
      'Entity tags that the client has, or `*`: if one matches, the response is 304.',
    ),
    condition('If-Match', CONDITION, '*', 'Entity tags, one of which the resource must have, or `*`.'),
    ApiResponse({
      status: HttpStatus.NOT_MODIFIED,
      description: 'The client has this already.',
      headers: { ETag: ENTITY_TAG },
    }),
  );
}

const IF_MATCH = documented(
  condition(
    'If-Match',
    CONDITION,
    '*',
    'Entity tags, one of which the resource must have, or `*` if it only has to exist.',
  ),
);
const IF_NONE_MATCH = documented(
  condition('If-None-Match', /^\*$/, '*', '`*`: there must be no such resource.'),
);

/** Injects the preconditions of a change, and documents the header with which a client changes only what it has seen. */
export const ReadPreconditions = createParamDecorator(readPreconditions, [IF_MATCH]);

/** Like `ReadPreconditions` for a PUT, which has one more header, with which a client creates only what does not exist. */
export const ReadPutPreconditions = createParamDecorator(readPreconditions, [IF_NONE_MATCH, IF_MATCH]);

function readPreconditions(_: unknown, context: ExecutionContext): Preconditions {
  return preconditionsOf(context.switchToHttp().getRequest<Request>());
}

function condition(
  name: string,
  { source: pattern }: RegExp,
  example: string,
  description: string,
): MethodDecorator {
  return ApiHeader({ name, description, schema: { ...TEXT, pattern, example } });
}

/** Lets a parameter of a method document the operation. */
export function documented(decorate: MethodDecorator): ParameterDecorator {
  return (target, method = '') => {
    decorate(target, method, Object.getOwnPropertyDescriptor(target, method) ?? {});
  };
}

/**
 * The schema of a request with a JSON value on each line, all of one schema. A class that it refers to must be among the
 * `@ApiExtraModels()`.
 *
 * A client sends a text, which OpenAPI 3.1 describes as a string with a content (JSON Schema 2020-12, section 8).
 */
export function linesSchema(items: object) {
  const contentSchema = { type: 'array', items };
  return { type: 'string', contentMediaType: NDJSON, contentSchema };
}
