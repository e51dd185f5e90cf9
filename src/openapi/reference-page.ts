import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { Settings } from '../config/settings.js';
import { showContract } from './show-contract.js';

/** Where the reference page is. */
export const REFERENCE_PATH = '/docs';

/** The page runs its own scripts and styles, and talks to this service only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the page loads of Swagger UI (https://swagger.io/tools/swagger-ui), by name and media type. */
const ASSETS = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

/** The leaf of the console (`console/src/leaf.svg`). */
const LEAF =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath fill='%232f8f4e' d='M28 4C13 3 5 9 5 18c0 2 .5 4 1.500 5.500C9 17 14 12 21 10c-6 4-10.500 9-12.500 16-.3 1-.5 2-.5 3h2.500c.2-1.200.4-2.300.8-3.400 1.200.3 2.400.4 3.700.4C24 26 28 17 28 4Z'/%3E%3C/svg%3E";

/** What the page has in common with the console, and the way there. */
const HEADER = `
    <style>
      body { margin: 0; }
      #top { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center; padding: 0.9rem max(1rem, calc(50vw - 36rem)); font: 16px/1.5 system-ui, sans-serif; border-bottom: 1px solid #d5ddd6; }
      #top a { color: #1d6b3a; text-decoration: none; }
      #top a:hover { text-decoration: underline; }
      #top a:first-child { font-weight: 700; }
      #top img { width: 1.4em; height: 1.4em; margin-right: 0.4em; vertical-align: -0.35em; }
    </style>
    <nav id="top"><a href="./console"><img src="${LEAF}" alt="">Plant store</a> <a href="./console">Plants</a> <a href="./docs" aria-current="page">API reference</a></nav>`;

const pageWith = (header: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Plant store</title>
    <link rel="icon" href="${LEAF}">
    <link rel="stylesheet" href="./docs/swagger-ui.css">
  </head>
  <body>${header}
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
  app.use(REFERENCE_PATH, (_request: unknown, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  });
  serve(REFERENCE_PATH, 'text/html', pageWith(app.get(Settings).console ? HEADER : ''));
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
