import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Response } from 'express';
import { pageSecurityHeaders } from '../http/server/security-headers.js';
import { showContract } from './show-contract.js';

/** Where the reference page is. */
export const REFERENCE_PATH = '/docs';

/** What the page loads of Swagger UI (https://swagger.io/tools/swagger-ui), by name and media type. */
const ASSETS = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Plant store</title>
    <link rel="icon" type="image/png" href="./docs/favicon-32x32.png">
    <link rel="stylesheet" href="./docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="./docs/swagger-ui-bundle.js"></script>
    <script src="./docs/show-contract.js"></script>
  </body>
</html>
`;

/**
 * Serves an interactive reference of the contract at `/docs`. All of it is sent from memory: a file that is open for every
 * client that takes its time would be a descriptor for each.
 */
export function serveReferencePage(app: INestApplication): void {
  const http = app.getHttpAdapter();
  const swaggerUi = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
  const serve = (path: string, mediaType: string, content: string | Buffer) =>
    http.get(path, (_request: unknown, response: Response) => response.type(mediaType).send(content));
  app.use(REFERENCE_PATH, pageSecurityHeaders);
  serve(REFERENCE_PATH, 'text/html', HTML);
  serve(
    `${REFERENCE_PATH}/show-contract.js`,
    'text/javascript',
    `${showContract.toString()}\nshowContract();\n`,
  );
  for (const [name, mediaType] of Object.entries(ASSETS)) {
    serve(`${REFERENCE_PATH}/${name}`, mediaType, readFileSync(join(swaggerUi, '..', name)));
  }
  // The page finds its parts and the service relative to its own address, which has to be this one.
  for (const alias of [`${REFERENCE_PATH}/`, `${REFERENCE_PATH}/index.html`]) {
    http.get(alias, (_request: unknown, response: Response) => response.redirect(308, `..${REFERENCE_PATH}`));
  }
}
