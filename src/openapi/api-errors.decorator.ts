import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { ErrorDto } from '../errors/error.dto.js';

const RESPONSES = {
  400: {
    description:
      'Unexpected error: the body is not a JSON object (40000), it is not valid (40001), ' +
      'the id is taken (40900), or something else went wrong (50000).',
    examples: {
      malformedBody: example(40000, 'The body must be valid JSON.'),
      invalidBody: example(
        40001,
        'The body is not valid: name must be a string of Unicode characters other than U+0000.',
      ),
      idTaken: example(40900, 'The id 1 belongs to another plant.'),
      unexpected: example(50000, 'An unexpected error happened.'),
    },
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
    examples: {
      missingToken: example(40100, 'An access token is needed: Authorization: Bearer <token>.'),
      invalidToken: example(40101, 'The access token is not valid.'),
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
    examples: { insufficientScope: example(40300, 'The access token lacks the scope plants:write.') },
  },
  413: {
    description: 'The body is too large (41300).',
    examples: { bodyTooLarge: example(41300, 'The body must not be larger than 1048576 bytes.') },
  },
  415: {
    description: 'The body is not `application/json` in UTF-8 (41500).',
    examples: { unsupportedMediaType: example(41500, 'The body must be application/json in UTF-8.') },
  },
  503: {
    description: 'The service is stopping, or its database cannot be used now (50300).',
    headers: {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' }, required: true },
    },
    examples: { unavailable: example(50300, 'The service is stopping.') },
  },
} satisfies Record<number, ApiResponseNoStatusOptions>;

/** Documents the statuses with which an operation answers an Error. */
export function ApiErrors(...statuses: (keyof typeof RESPONSES)[]): MethodDecorator {
  return applyDecorators(
    ...statuses.map((status) => ApiResponse({ ...RESPONSES[status], status, type: ErrorDto })),
  );
}

function example(error: number, message: string) {
  return { summary: `${error}`, value: { error, message } };
}
