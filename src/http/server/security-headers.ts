import type { NextFunction, Request, Response } from 'express';

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

/** The reference page is the one page there is: it runs its own scripts and styles and talks to this service only. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Adds the security headers of an API to every answer. */
export function apiSecurityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeaders(API_HEADERS);
  next();
}

/** Lets the reference page be a page. */
export function pageSecurityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  next();
}
