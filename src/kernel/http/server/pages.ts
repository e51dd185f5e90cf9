import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { extname, join } from 'node:path';
import { Injectable, Logger, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { staticContent } from './static-content.js';

/** The path of scripts and styles, to which all pages link relative to their own path. */
const PARTS_PATH = '/console';

/** The build of `console/`, in a folder named like its path. */
const BUILT = join(findPackageJSON(import.meta.url) ?? '', '..', 'dist', PARTS_PATH);

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

/** Serves pages for people and their parts. */
@Injectable()
export class Pages {
  private hasParts = false;

  constructor(private readonly host: HttpAdapterHost) {}

  /**
   * Serves a page of `npm run build`; without a build, logs a warning.
   *
   * @param name of its file.
   * @param policy the directives of its Content-Security-Policy.
   */
  serve(path: string, name: string, policy: Readonly<Record<string, string>>): void {
    const file = join(BUILT, name);
    if (!existsSync(file)) {
      new Logger('Console').warn('The console is not built: npm run build.');
      return;
    }
    if (!this.hasParts) this.serveParts();
    this.hasParts = true;
    // Pages without a slash at their end are one folder above their scripts and styles.
    const prefix = path.endsWith('/') ? './' : `.${PARTS_PATH}/`;
    const html = readFileSync(file, 'utf8').replaceAll('="./', `="${prefix}`);
    const send = staticContent('html', Buffer.from(html));
    const header = Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; ');
    this.host.httpAdapter.get(path, (request: Request, response: Response) => {
      response.setHeader('Content-Security-Policy', header);
      send(request, response);
    });
  }

  redirect(path: string, to: string): void {
    this.host.httpAdapter.get(path, (_request: Request, response: Response) => response.redirect(308, to));
  }

  private serveParts(): void {
    const parts = new Map(
      readdirSync(BUILT)
        .filter((name) => extname(name) !== '.html')
        .map((name) => [name, staticContent(extname(name), readFileSync(join(BUILT, name)))]),
    );
    this.host.httpAdapter.get(
      `${PARTS_PATH}/:part`,
      (request: Request, response: Response, next?: Function) => {
        const name = String(request.params['part']);
        const send = parts.get(name);
        if (send === undefined) return next?.();
        if (HASHED.test(name)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
        return send(request, response);
      },
    );
  }
}

@Module({ providers: [Pages], exports: [Pages] })
export class PagesModule {}
