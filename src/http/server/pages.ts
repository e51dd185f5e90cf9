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

/** Serves pages for people and their parts. */
@Injectable()
export class Pages {
  private readonly paths = new Set<string>();

  constructor(private readonly host: HttpAdapterHost) {}

  has(path: string): boolean {
    return this.paths.has(path);
  }

  /**
   * Serves a page that `npm run build` made. Without a build, it only logs a warning.
   *
   * @param name of its file.
   * @param origin to which it may send requests, besides this service.
   * @param edit changes the page before it is first sent.
   */
  serve(path: string, name: string, origin = '', edit = (page: string) => page): void {
    if (!existsSync(join(BUILT, name))) {
      new Logger('Console').warn('The console is not built: npm run build.');
      return;
    }
    if (this.paths.size === 0) this.serveParts();
    this.paths.add(path);
    const policy = pagePolicy(origin);
    let send: ReturnType<typeof staticContent> | undefined;
    this.host.httpAdapter.get(path, (request: Request, response: Response) => {
      send ??= staticContent('html', Buffer.from(edit(readFileSync(join(BUILT, name), 'utf8'))));
      response.setHeader('Content-Security-Policy', policy);
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

/** Allows scripts and styles of its own, and requests to this service and the origin. */
function pagePolicy(origin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${origin}`.trim(),
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
