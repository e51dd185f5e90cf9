import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { REQUEST_ID_HEADER } from './request-id.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'traceparent',
  REQUEST_ID_HEADER,
];
const RESPONSE_HEADERS = [
  'Allow',
  'Content-Disposition',
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  REQUEST_ID_HEADER,
];

/** Seconds for which a browser may remember the answer to a preflight; Chromium remembers none for longer. */
const PREFLIGHT_MAX_AGE_S = 7_200;

/**
 * Lets pages of these origins use the service from a browser (Fetch standard, CORS protocol), with a token
 * and without cookies. To pages of other origins the service answers as if there were no CORS, and their browser lets none
 * of it through.
 */
export function allowOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  const allowed = new Set(origins);
  app.use(varyByOrigin);
  app.enableCors((request: Request, decide: (error: null, options: object) => void) => {
    const { origin } = request.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    decide(null, isAllowed ? { ...OPTIONS, origin, preflightContinue: !isPreflight(request) } : NONE);
  });
}

const OPTIONS = {
  methods: METHODS,
  allowedHeaders: REQUEST_HEADERS,
  exposedHeaders: RESPONSE_HEADERS,
  maxAge: PREFLIGHT_MAX_AGE_S,
};
const NONE = { origin: false };

/** An OPTIONS that a browser sends before the request proper; any other one asks what the path allows. */
function isPreflight({ headers }: Request): boolean {
  return headers['access-control-request-method'] !== undefined;
}

/** Tells caches that the answer depends on who asks, whoever asks first. */
function varyByOrigin(_request: Request, response: Response, next: NextFunction): void {
  response.vary('Origin');
  next();
}
