import { readFileSync } from 'node:fs';
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

const pageWith = (links: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Plant store</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="./docs/swagger-ui.css">
  </head>
  <body style="margin: 0">
    ${links}
    <div id="swagger-ui"></div>
    <script src="./docs/swagger-ui-bundle.js"></script>
    <script src="./docs/show-contract.js"></script>
  </body>
</html>
`;

const LINK_TO_CONSOLE = `<nav style="padding: 1rem; font: 16px system-ui, sans-serif"><a href="./console">Plant store</a></nav>`;

/**
 * Serves an interactive reference of the contract at `/docs`, from memory: each slow client of a file would keep it open.
 */
export function serveReferencePage(app: INestApplication): void {
  const http = app.getHttpAdapter();
  const serve = (path: string, mediaType: string, content: string | Buffer) =>
    http.get(path, (_request: unknown, response: Response) => response.type(mediaType).send(content));
  const swaggerUi = (name: string) => readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
  app.use(REFERENCE_PATH, (_request: unknown, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  });
  serve(REFERENCE_PATH, 'text/html', pageWith(app.get(Settings).console ? LINK_TO_CONSOLE : ''));
  serve(`${REFERENCE_PATH}/swagger-ui.css`, 'text/css', swaggerUi('swagger-ui.css'));
  serve(`${REFERENCE_PATH}/swagger-ui-bundle.js`, 'text/javascript', swaggerUi('swagger-ui-bundle.js'));
  serve(
    `${REFERENCE_PATH}/show-contract.js`,
    'text/javascript',
    `${showContract.toString()}\nshowContract();`,
  );
  // The page finds its parts and the service relative to its own address, which has to be this one.
  http.get(`${REFERENCE_PATH}/`, (_request: unknown, response: Response) =>
    response.redirect(308, `..${REFERENCE_PATH}`),
  );
}
