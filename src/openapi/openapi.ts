import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { pageSecurityHeaders } from '../http/security-headers.js';

const DESCRIPTION = `Keeps plants, exactly as they were sent and on disk before the answer.

Every answer that is not a success has an Error as its body: \`error\` says what happened, \`message\` says it in words.`;

/**
 * Serves the contract at `/openapi.json` and an interactive reference of it at `/docs`.
 *
 * @param baseUrl the public address of the service, asked for when the contract is first read.
 */
export function serveOpenApi(app: INestApplication, baseUrl: () => string): void {
  app.use('/docs', pageSecurityHeaders);
  SwaggerModule.setup('docs', app, () => describe(app, baseUrl()), {
    raw: ['json'],
    jsonDocumentUrl: '/openapi.json',
    customSiteTitle: 'Plant store',
    swaggerOptions: { persistAuthorization: true },
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
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An access token of the store.' })
    .addSecurityRequirements('bearer')
    .addTag('plants', 'The plants of the store.')
    .addTag('health', 'How the service is.')
    .build();
  return SwaggerModule.createDocument(app, contract);
}
