import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { extname, join } from 'node:path';
import { type INestApplication, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { IdentityProviderSettings } from '../identity-provider/identity-provider.settings.js';
import type { ConsoleSettings } from './console.settings.js';
import { staticContent } from '../../http/server/static-content.js';

/** The path of the console. Its page is at this with a slash, so that its links are relative to it. */
export const CONSOLE_PATH = '/console';

/** The path of the reference page, which has its parts in common with the console. */
export const REFERENCE_PATH = '/docs';

/** What `npm run build` makes of `console/`, in a folder named like its path. */
const BUILT = join(findPackageJSON(import.meta.url) ?? '', '..', 'dist', CONSOLE_PATH);

/** One of its files, which an older build does not have. */
const REFERENCE_PAGE = 'docs.html';

/** The attribute by which the reference page knows that it can lead to the console. */
const WITH_CONSOLE = ' data-console';

/** Names of files that never change, because they contain a hash of the content. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Serves the reference of the contract and, unless it is off, the console. */
export function servePages(
  app: INestApplication,
  { isOn, OIDC_CLIENT_ID: clientId }: ConsoleSettings,
  { OIDC_ISSUER }: IdentityProviderSettings,
): void {
  if (!existsSync(join(BUILT, REFERENCE_PAGE))) {
    new Logger('Console').warn('The console is not built: npm run build.');
    return;
  }
  const contentOf = (name: string) => readFileSync(join(BUILT, name));
  const files = new Map(
    readdirSync(BUILT)
      .filter((name) => extname(name) !== '.html')
      .map((name) => [name, staticContent(extname(name), contentOf(name))]),
  );
  const policy = pagePolicy(clientId === undefined ? undefined : OIDC_ISSUER);
  const http = app.getHttpAdapter();
  const redirect = (path: string, to: string) =>
    http.get(path, (_request: Request, response: Response) => response.redirect(308, to));
  const servePage = (path: string, content: Buffer) => {
    const send = staticContent('html', content);
    http.get(path, (request: Request, response: Response) => {
      response.setHeader('Content-Security-Policy', policy);
      send(request, response);
    });
  };
  if (isOn) {
    redirect(CONSOLE_PATH, `.${CONSOLE_PATH}/`);
    servePage(`${CONSOLE_PATH}/`, contentOf('index.html'));
    http.get(`${CONSOLE_PATH}/sign-in.json`, (_request: Request, response: Response) =>
      response.json({ clientId }),
    );
  }
  // The page finds its parts and the service relative to its own address, which has to be this one.
  redirect(`${REFERENCE_PATH}/`, `..${REFERENCE_PATH}`);
  const reference = contentOf(REFERENCE_PAGE);
  servePage(REFERENCE_PATH, isOn ? reference : Buffer.from(String(reference).replace(WITH_CONSOLE, '')));
  http.get(`${CONSOLE_PATH}/:part`, (request: Request, response: Response, next?: Function) => {
    const name = String(request.params['part']);
    const send = files.get(name);
    if (send === undefined) return next?.();
    if (HASHED.test(name)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    return send(request, response);
  });
}

/** Allows scripts and styles of its own, and requests to this service and the identity provider. */
function pagePolicy(issuer: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    issuer === undefined ? "connect-src 'self'" : `connect-src 'self' ${new URL(issuer).origin}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
