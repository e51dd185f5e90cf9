import type { OpenAPIObject } from '@nestjs/swagger';
import { REQUEST_ID_HEADER } from '../http/server/middleware.js';
import { operationsOf, type Response } from './operations.js';

const TEXT = { type: 'string' } as const;

const PARAMETER = {
  name: REQUEST_ID_HEADER,
  in: 'header',
  description: 'An id for the request: up to 128 of the characters `A-Z a-z 0-9 _ . : @ / + = -`.',
  schema: TEXT,
  example: 'order-1234',
} as const;

const HEADER = {
  description: 'The id of the request, under which the log has it: that of the client, or a new one.',
  schema: TEXT,
  required: true,
} as const;

/** Says of every operation of a contract that its answers carry the id of the request, and that a client may choose it. */
export function describeRequestIds(document: OpenAPIObject): void {
  for (const [, operation] of operationsOf(document)) {
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
    for (const response of Object.values(operation.responses) as Response[]) {
      response.headers = {
        ...response.headers,
        [REQUEST_ID_HEADER]: { $ref: '#/components/headers/RequestId' },
      };
    }
  }
  document.components = {
    ...document.components,
    parameters: { RequestId: PARAMETER },
    headers: { RequestId: HEADER },
  };
}
