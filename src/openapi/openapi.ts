import { HttpStatus, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BEARER } from '../auth/access.decorators.js';
import { SCOPES } from '../auth/auth.module.js';
import { ADMIN, type Scope } from '../auth/principal.js';
import { ErrorDto } from '../errors/error.dto.js';
import { ErrorValue } from '../errors/error-value.js';
import { contentType, INT64_TEXTS, INT64_TEXTS_PATH, JSON_TYPE } from '../http/body/media-types.js';
import { REQUEST_ID_HEADER } from '../http/server/middleware.js';
import { staticContent } from '../http/server/static-content.js';
import { int64Texts } from '../validation/int64-texts.js';
import { errorResponse } from './api-errors.decorator.js';
import { withInt64Texts } from './int64-texts.js';

const DESCRIPTION = `Keeps plants, exactly as they were sent and on disk before the response.

Every response that is not a success has an Error as its body: \`error\` says what happened, \`message\` says it in words.

An id may be any int64, and \`JSON.parse\` of JavaScript rounds integers beyond 2^53. For such clients, each int64 can be a string of its
digits: in responses to \`Accept: application/json;${INT64_TEXTS}\`, in requests with this \`Content-Type\`, and both for paths that begin
with \`${INT64_TEXTS_PATH}/\`. \`${INT64_TEXTS_PATH}/openapi.json\` is the contract of this form: clients that are generated from it are exact.`;

/** The errors of every operation, decided before it runs. */
const ERRORS_OF_ALL = [
  ErrorValue.MethodNotAllowed,
  ErrorValue.RequestTimeout,
  ErrorValue.HeadersTooLarge,
  ErrorValue.Unavailable,
] as const;

/** The schema that lists all scopes. */
export const SCOPE_SCHEMA = '#/components/schemas/Scope';

const TEXT = { type: 'string' } as const;
const REQUEST_ID = {
  name: REQUEST_ID_HEADER,
  in: 'header',
  description: 'An id for the request: up to 128 of the characters `A-Z a-z 0-9 _ . : @ / + = -`.',
  schema: TEXT,
  example: 'order-1234',
} as const;
const RETURNED_REQUEST_ID = {
  description: 'The id of the request in the log: the one that the client sent, or a new one.',
  schema: TEXT,
  required: true,
} as const;

interface Tag {
  readonly name: string;
  readonly description: string;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/**
 * Serves the contract at `/openapi.json`, in the form of int64s that the request has.
 *
 * @param tags the groups of operations, in their order.
 * @param complete adds what does not follow from the operations.
 * @param baseUrl the public address of the service, called when the contract is first read.
 */
export function serveOpenApi(
  app: INestApplication,
  tags: readonly Tag[],
  complete: (contract: OpenAPIObject) => void,
  baseUrl: () => string,
): void {
  const described = (url: string) => describe(app, tags, complete, url);
  const serve = (make: () => OpenAPIObject) => {
    let send: ReturnType<typeof staticContent> | undefined;
    return (request: Request, response: Response) => {
      send ??= staticContent(contentType(JSON_TYPE), Buffer.from(JSON.stringify(make())));
      send(request, response);
    };
  };
  const sendNumbers = serve(() => described(baseUrl()));
  const sendTexts = serve(() => withInt64Texts(described(baseUrl() + INT64_TEXTS_PATH)));
  app.getHttpAdapter().get('/openapi.json', (request: Request, response: Response) => {
    response.vary('Accept');
    if (int64Texts.getStore()?.sent) sendTexts(request, response);
    else {
      response.setHeader(
        'Link',
        `<.${INT64_TEXTS_PATH}/openapi.json>; rel="alternate"; type="${JSON_TYPE};${INT64_TEXTS}"`,
      );
      sendNumbers(request, response);
    }
  });
}

function describe(
  app: INestApplication,
  tags: readonly Tag[],
  complete: (contract: OpenAPIObject) => void,
  url: string,
): OpenAPIObject {
  const contract = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Plant store')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(url)
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'opaque',
        description: 'An access token of the store.',
      },
      BEARER,
    )
    .addSecurityRequirements(BEARER)
    .addGlobalResponse(...ERRORS_OF_ALL.map(errorResponse))
    .build();
  const document = SwaggerModule.createDocument(
    app,
    { ...contract, tags: [...tags] },
    { extraModels: [ErrorDto] },
  );
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as Operation[]) {
      describeAccess(operation);
      describeRequestId(operation);
    }
  }
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      Scope: { ...TEXT, enum: [...app.get<readonly Scope[]>(SCOPES)] },
    },
    parameters: { RequestId: REQUEST_ID },
    headers: { RequestId: RETURNED_REQUEST_ID },
  };
  complete(document);
  return document;
}

/** Says which scopes a token needs: in words, and as its roles, which OpenAPI 3.1 lets `bearer` have. */
function describeAccess(operation: Operation): void {
  const { description, security } = operation;
  // The decorator of a handler comes after that of its controller, and overrides it.
  const alternatives = security === undefined ? [ADMIN] : (security.at(-1)?.[BEARER] ?? []);
  const required = alternatives.map((scopes) => scopes.split(' ').filter((scope) => scope !== ''));
  operation.description = `${description}\n\n${requirement(required)}`;
  if (required.some(({ length }) => length === 0)) delete operation.responses[HttpStatus.FORBIDDEN];
  // Empty for a public operation: some proxies take `[{}]` to mean that a token must not be sent.
  operation.security = required.map((scopes) => ({ [BEARER]: scopes }));
}

function requirement(required: readonly (readonly Scope[])[]): string {
  if (required.length === 0) return 'Needs no access token.';
  if (required.some(({ length }) => length === 0)) return 'Requires an access token, with any scopes.';
  const texts = required.map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and '));
  return `Requires ${texts.join(', or ')}.`;
}

/** Says that a client may choose the id of its request, and that every response has it. */
function describeRequestId(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/RequestId' }];
  for (const response of Object.values(operation.responses)) {
    if (response === undefined || '$ref' in response) continue;
    response.headers = {
      ...response.headers,
      [REQUEST_ID_HEADER]: { $ref: '#/components/headers/RequestId' },
    };
  }
}
