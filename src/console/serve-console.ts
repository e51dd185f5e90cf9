import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { type INestApplication, Logger } from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import type { OidcSettings } from '../config/settings.js';

/** The path of the console. Its page is at this with a slash, so that its links are relative to it. */
export const CONSOLE_PATH = '/console';

/** What `npm run build` makes of `console/`, in a folder named like its path. */
const BUILT = join(findPackageJSON(import.meta.url) ?? '', '..', 'dist');
const PAGE = join(BUILT, CONSOLE_PATH, 'index.html');

/** Names of files that never change, because they contain a hash of the content. */
const HASHED = /-[\w-]{8}\.\w+$/;

/**
 * Serves the page for people.
 *
 * @param oidc the identity provider at which it signs people in, if there is one.
 */
export function serveConsole(app: INestApplication, oidc: OidcSettings | undefined): void {
  if (!existsSync(PAGE)) {
    new Logger('Console').warn('The console is not built: npm run build.');
    return;
  }
  const clientId = oidc?.clientId;
  const policy = pagePolicy(clientId === undefined ? undefined : oidc?.issuer);
  const files = express.static(BUILT, {
    cacheControl: false,
    redirect: false,
    setHeaders: (response, path) => {
      if (path === PAGE) response.setHeader('Content-Security-Policy', policy);
      if (HASHED.test(path)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    },
  });
  const http = app.getHttpAdapter();
  http.get(CONSOLE_PATH, (_request: Request, response: Response) =>
    response.redirect(308, `.${CONSOLE_PATH}/`),
  );
  http.get(`${CONSOLE_PATH}/sign-in.json`, (_request: Request, response: Response) =>
    response.json({ clientId }),
  );
  http.get(`${CONSOLE_PATH}/{:part}`, (request: Request, response: Response, next?: Function) =>
    files(request, response, (error) => void next?.(error)),
  );
}

/** Allows scripts and styles of its own, and requests to this service and the identity provider. */
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
