import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { type Express, type Request, type Response, static as serveFiles } from 'express';

/** The build of `console/`. */
const BUILT = join(findPackageJSON(import.meta.url) ?? '', '..', 'dist', 'console');

/** Names of files that never change, because they contain a hash of the content. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** Allows only what comes from this service. */
export const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
};

/**
 * Serves a page of `npm run build`, with its scripts and styles; without a build, logs a warning.
 *
 * @param path ends with a slash, because the page links to what is beside it: the service may be behind any path of a proxy.
 * @param name of its file.
 * @param policy the directives of its Content-Security-Policy.
 */
export function servePage(
  { httpAdapter }: HttpAdapterHost,
  path: `${string}/`,
  name: string,
  policy: Readonly<Record<string, string>>,
): void {
  if (!existsSync(join(BUILT, name))) {
    new Logger('Console').warn('The console is not built: npm run build.');
    return;
  }
  const header = Object.entries(policy)
    .map((directive) => directive.join(' '))
    .join('; ');
  const setHeaders = (response: Response, file: string) => {
    response.setHeader('Content-Security-Policy', header);
    if (HASHED.test(file)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  };
  const bare = path.slice(0, -1);
  httpAdapter.get(bare, (_request: Request, response: Response) => response.redirect(308, `.${path}`));
  const options = { index: name, redirect: false, cacheControl: false, setHeaders };
  httpAdapter.getInstance<Express>().use(path, serveFiles(BUILT, options));
}
