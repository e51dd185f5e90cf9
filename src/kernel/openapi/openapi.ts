import { HttpStatus, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BEARER } from '../auth/access.decorators.js';
import { SCOPES } from '../auth/auth.module.js';
import { ADMIN, type Scope } from '../auth/principal.js';
import { ErrorDto } from '../errors/error.dto.js';
import { ErrorValue } from '../errors/error-value.js';
import { JSON_TYPE } from '../http/body/media-types.js';
import { REQUEST_ID_HEADER } from '../http/server/middleware.js';
import { errorResponse } from './api-errors.decorator.js';

const DESCRIPTION = `Keeps plants, exactly as they were sent and on disk before the response.

Every response that is not a success has an Error as its body: \`error\` says what happened, \`message\` says it in words.

An id may be any int64. \`JSON.parse\` of JavaScript rounds integers beyond 2^53, unless a reviver reads their source text.`;

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

const METHODS = ['post', 'get', 'put', 'patch', 'delete'];

interface Tag {
  readonly name: string;
  readonly description: string;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/**
 * Serves the contract at `/openapi.json`.
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
  let contract: string | undefined;
  app.getHttpAdapter().get('/openapi.json', (_request: Request, response: Response) => {
    contract ??= JSON.stringify(describe(app, tags, complete, baseUrl()), withPlainSlashes);
    response.type(JSON_TYPE).send(contract);
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
    responses: shareErrors(document),
    schemas: {
      ...document.components?.schemas,
      Scope: { ...TEXT, enum: [...app.get<readonly Scope[]>(SCOPES)] },
    },
    parameters: { RequestId: REQUEST_ID },
    headers: { RequestId: RETURNED_REQUEST_ID },
  };
  document.paths = inOrder(document.paths, tags);
  complete(document);
  return document;
}

/** Some generators write a pattern into a text, where the `\/` of `RegExp.source` is wrong. */
function withPlainSlashes(name: string, value: unknown): unknown {
  return name === 'pattern' && typeof value === 'string' ? value.replaceAll(String.raw`\/`, '/') : value;
}

/** Orders operations as one reads about them: each tag's create, list, read, replace, change and delete, then the rest. */
function inOrder(paths: OpenAPIObject['paths'], tags: readonly Tag[]): OpenAPIObject['paths'] {
  const names = tags.map(({ name }) => name);
  const ranked = Object.entries(paths).map(([path, item]) => {
    const [tag = ''] = (Object.values(item) as Operation[])[0]?.tags ?? [];
    const isCollection = path.split('/').length === 2;
    const place = isCollection ? 0 : /^\/\w+\/\{\w+\}$/.test(path) ? 1 : 2;
    const operations = Object.entries(item).toSorted(([a], [b]) => METHODS.indexOf(a) - METHODS.indexOf(b));
    return { path, rank: names.indexOf(tag) * 3 + place, item: Object.fromEntries(operations) };
  });
  return Object.fromEntries(ranked.toSorted((a, b) => a.rank - b.rank).map(({ path, item }) => [path, item]));
}

/** Replaces responses with Errors by references to shared ones: most operations have the same. */
function shareErrors({ paths }: OpenAPIObject): Responses {
  const shared: Responses = {};
  const names = new Map<string, string>();
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path) as Operation[])) {
    for (const [status, response] of Object.entries(responses)) {
      if (!response || '$ref' in response || Number(status) < 400) continue;
      const json = JSON.stringify(response);
      const others = Object.keys(shared).filter((other) => other.startsWith(`Error${status}`)).length;
      const name = names.get(json) ?? `Error${status}${others === 0 ? '' : `_${others + 1}`}`;
      names.set(json, name);
      shared[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

/** Says which scopes a token needs: in words, and as its roles, which OpenAPI 3.1 lets `bearer` have. */
function describeAccess(operation: Operation): void {
  const { description, summary, security } = operation;
  // The decorator of a handler comes after that of its controller, and overrides it.
  const alternatives = security === undefined ? [ADMIN] : (security.at(-1)?.[BEARER] ?? []);
  const required = alternatives.map((scopes) => scopes.split(' ').filter((scope) => scope !== ''));
  operation.description = [description ?? summary, requirement(required)].filter(Boolean).join('\n\n');
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
