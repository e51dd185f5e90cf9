import type { OpenAPIObject } from '@nestjs/swagger';
import { REQUEST_ID_HEADER } from '../http/server/request-id.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

const TEXT = { type: 'string' } as const;

const PARAMETER = {
  name: REQUEST_ID_HEADER,
  in: 'header',
  description: 'An id for the request: up to 128 of the characters `A-Z a-z 0-9 _ . : @ / + = -`.',
  schema: TEXT,
} as const;

const HEADER = {
  description: 'The id of the request, under which the log has it: that of the client, or a new one.',
  schema: TEXT,
  required: true,
} as const;

/** Says of every operation of a contract that its answers carry the id of the request, and that a client may choose it. */
export function describeRequestIds(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as Operation[]) {
      operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
      for (const response of Object.values(operation.responses) as Response[]) {
        response.headers = {
          ...response.headers,
          [REQUEST_ID_HEADER]: { $ref: '#/components/headers/RequestId' },
        };
      }
    }
  }
  return {
    ...document,
    components: {
      ...document.components,
      parameters: { RequestId: PARAMETER },
      headers: { RequestId: HEADER },
    },
  };
}
