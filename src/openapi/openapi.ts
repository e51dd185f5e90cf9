import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Response } from 'express';
import { BEARER } from '../auth/access.decorators.js';
import { Settings } from '../config/settings.js';
import { ErrorDto } from '../errors/error.dto.js';
import { describeAccess } from './describe-access.js';
import { describeErrors } from './describe-errors.js';
import { describeExamples } from './describe-examples.js';
import { describeRequestIds } from './describe-request-ids.js';
import { serveReferencePage } from './reference-page.js';

const DESCRIPTION = `Keeps plants, exactly as they were sent and on disk before the answer.

Every answer that is not a success has an Error as its body: \`error\` says what happened, \`message\` says it in words.

An id may be any int64. \`JSON.parse\` of JavaScript rounds integers beyond 2^53, and with them the clients that are generated for it.
The client in \`examples/typescript-client\` of the project is generated from this contract and keeps every digit, as a \`bigint\`.`;

interface Tag {
  readonly name: string;
  readonly description: string;
}

/**
 * Serves the contract at `/openapi.json`, and an interactive reference of it at `/docs`.
 *
 * @param tags the groups of operations, in their order.
 * @param baseUrl the public address of the service, asked for when the contract is first read.
 */
export function serveOpenApi(app: INestApplication, tags: readonly Tag[], baseUrl: () => string): void {
  let contract: Buffer | undefined;
  app.getHttpAdapter().get('/openapi.json', (_request: unknown, response: Response) => {
    contract ??= Buffer.from(JSON.stringify(describe(app, tags, baseUrl())));
    response.type('application/json').send(contract);
  });
  serveReferencePage(app);
}

function describe(app: INestApplication, tags: readonly Tag[], url: string): OpenAPIObject {
  const { oidc } = app.get(Settings);
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
        bearerFormat: oidc === undefined ? 'opaque' : 'opaque or JWT',
        description:
          oidc === undefined
            ? 'An access token of the store.'
            : `An access token of the store, or a JWT access token (RFC 9068) of ${oidc.issuer}.`,
      },
      BEARER,
    )
    .addSecurityRequirements(BEARER)
    .build();
  const document = SwaggerModule.createDocument(
    app,
    { ...contract, tags: [...tags] },
    { extraModels: [ErrorDto] },
  );
  describeErrors(document);
  describeAccess(document);
  describeExamples(document);
  describeRequestIds(document);
  return document;
}
