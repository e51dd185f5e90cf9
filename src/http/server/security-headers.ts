import type { NextFunction, Request, Response } from 'express';

/**
 * For every response that is no page: it may not be framed, sniffed, cached or embedded elsewhere. The two pages, `/docs` and
 * `/console`, each replace the policy by one of their own.
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

/** The reference page runs its own scripts and styles, and talks to this service only. */
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

/** Adds the security headers of an API to every response. */
export function apiSecurityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeaders(API_HEADERS);
  next();
}

/** Lets the reference page (`/docs`) run in a browser. */
export function pageSecurityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  next();
}
