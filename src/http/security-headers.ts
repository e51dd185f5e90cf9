import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/**
 * Nothing that an API answers is a page, may be framed, sniffed, cached or embedded elsewhere.
 *
 * No Strict-Transport-Security and no upgrade to https: the service speaks plain HTTP, TLS belongs to what is before it.
 */
const API_HEADERS = new Map([
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]);

/** Adds the security headers of an API to every answer. */
export function apiSecurityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeaders(API_HEADERS);
  next();
}

/** The reference page is the one page there is: it runs its own scripts and styles and talks to this service only. */
export const pageSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  xFrameOptions: { action: 'deny' },
});
