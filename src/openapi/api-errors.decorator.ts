import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { ErrorDto } from '../errors/error.dto.js';

const RESPONSES = {
  400: {
    description:
      'Unexpected error: the body is not a JSON object (40000), it is not valid (40001), ' +
      'the id is taken (40900), or something else went wrong (50000).',
  },
  401: {
    description: 'There is no access token (40100), or it is not valid (40101).',
    headers: {
      'WWW-Authenticate': {
        description: 'The challenge of RFC 6750.',
        schema: { type: 'string' },
        required: true,
      },
    },
  },
  403: {
    description: 'The access token lacks the scope of the operation (40300).',
    headers: {
      'WWW-Authenticate': {
        description: 'Names the scope (RFC 6750).',
        schema: { type: 'string' },
        required: true,
      },
    },
  },
  413: { description: 'The body is too large (41300).' },
  415: { description: 'The body is not `application/json` in UTF-8 (41500).' },
  503: {
    description: 'The service is stopping, or its database cannot be used now (50300).',
    headers: {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' }, required: true },
    },
  },
} satisfies Record<number, ApiResponseNoStatusOptions>;

/** Documents the statuses with which an operation answers an Error. */
export function ApiErrors(...statuses: (keyof typeof RESPONSES)[]): MethodDecorator {
  return applyDecorators(
    ...statuses.map((status) => ApiResponse({ ...RESPONSES[status], status, type: ErrorDto })),
  );
}
