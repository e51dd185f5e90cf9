import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { type INestApplication, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { OidcSettings } from '../config/settings.js';

/** Where the console is. Its page is at this with a slash, from which its parts and the service are found relative to it. */
export const CONSOLE_PATH = '/console';

/** What `npm run build` made of `console/`. */
const FOLDER = join(findPackageJSON(import.meta.url) ?? '', '..', 'dist', 'console');

const PAGE = 'index.html';

/** The names of files that never change, because they contain a hash of the content. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** The codings of each file that the build has made, with the extensions of their names; the smallest first. */
const CODINGS = { br: '.br', gzip: '.gz' };

/**
 * Serves the console, all of it from memory: a file that is open for every client would be a descriptor for each.
 *
 * @param oidc the identity provider at which it signs people in, if there is one.
 */
export function serveConsole(app: INestApplication, oidc: OidcSettings | undefined): void {
  if (!existsSync(join(FOLDER, PAGE))) {
    new Logger('Console').warn('The console is not built: npm run build.');
    return;
  }
  const http = app.getHttpAdapter();
  const page = sender(PAGE);
  const parts = new Map(
    readdirSync(FOLDER)
      .filter((name) => name !== PAGE && !/\.(?:br|gz)$/.test(name))
      .map((name) => [name, sender(name)]),
  );
  const clientId = oidc?.clientId;
  const policy = pagePolicy(clientId === undefined ? undefined : oidc?.issuer);
  http.get(CONSOLE_PATH, (_request: Request, response: Response) =>
    response.redirect(308, `.${CONSOLE_PATH}/`),
  );
  http.get(`${CONSOLE_PATH}/`, (request: Request, response: Response) => {
    response.setHeader('Content-Security-Policy', policy);
    page(request, response);
  });
  http.get(`${CONSOLE_PATH}/sign-in.json`, (_request: Request, response: Response) =>
    response.json({ clientId }),
  );
  http.get(`${CONSOLE_PATH}/:part`, (request: Request, response: Response, next?: Function) => {
    const send = parts.get(String(request.params['part']));
    if (send === undefined) return next?.();
    if (HASHED.test(request.path)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    return send(request, response);
  });
}

/** The page runs its own scripts and styles, talks to this service and the identity provider, and makes no markup of texts. */
function pagePolicy(issuer: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    issuer === undefined ? "connect-src 'self'" : `connect-src 'self' ${new URL(issuer).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Answers a file in the smallest coding that the client takes. */
function sender(name: string): (request: Request, response: Response) => void {
  const plain = readFileSync(join(FOLDER, name));
  const coded = Object.entries(CODINGS).map(
    ([coding, extension]) => [coding, readFileSync(join(FOLDER, name + extension))] as const,
  );
  return (request, response) => {
    response.vary('Accept-Encoding').type(name);
    const accepted = request.acceptsEncodings();
    const [coding, body] = coded.find(([known]) => accepted.includes(known)) ?? [undefined, plain];
    if (coding !== undefined) response.setHeader('Content-Encoding', coding);
    response.send(body);
  };
}
