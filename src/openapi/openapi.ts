import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Request } from 'express';
import { pageSecurityHeaders } from '../http/security-headers.js';
import { describeRequestIds } from './describe-request-ids.js';

const DOCUMENT_PATH = '/openapi.json';
const PAGE_PATH = '/docs';

const DESCRIPTION = `Keeps plants, exactly as they were sent and on disk before the answer.

Every answer that is not a success has an Error as its body: \`error\` says what happened, \`message\` says it in words.`;

/**
 * Serves the contract at `/openapi.json` and an interactive reference of it at `/docs`.
 *
 * @param baseUrl the public address of the service, asked for when the contract is first read.
 */
export function serveOpenApi(app: INestApplication, baseUrl: () => string): void {
  app.use(PAGE_PATH, pageSecurityHeaders);
  // The page finds its parts and the service relative to its own address, which has to be this one.
  for (const alias of [`${PAGE_PATH}/`, `${PAGE_PATH}/index.html`]) {
    app.getHttpAdapter().get(alias, (_request, response) => response.redirect(308, `..${PAGE_PATH}`));
  }
  SwaggerModule.setup(PAGE_PATH, app, () => describe(app, baseUrl()), {
    raw: ['json'],
    jsonDocumentUrl: DOCUMENT_PATH,
    customSiteTitle: 'Plant store',
    swaggerOptions: { persistAuthorization: true },
    // The page asks the service that served it, under whatever name that was reached.
    patchDocumentOnRequest: (request, _response, document) =>
      (request as Request).path === DOCUMENT_PATH ? document : { ...document, servers: [{ url: './' }] },
  });
}

function describe(app: INestApplication, url: string): OpenAPIObject {
  const contract = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Plant store')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(url)
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'opaque',
      description: 'An access token of the store.',
    })
    .addSecurityRequirements('bearer')
    .addTag('plants', 'The plants of the store.')
    .addTag('health', 'How the service is.')
    .build();
  return describeRequestIds(SwaggerModule.createDocument(app, contract));
}
