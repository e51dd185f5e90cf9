import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { REQUEST_ID_HEADER } from './middleware.js';

/** The headers of responses that pages may read. */
const EXPOSED = [
  'Allow',
  'Content-Disposition',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Caught-Up',
  'X-Next-After',
  'X-Total-Count',
  REQUEST_ID_HEADER,
];

/** Lets pages of these origins use the service from a browser (Fetch standard, CORS protocol), with a token and without cookies. */
export function allowOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  const options = {
    origin: [...origins],
    // Preflights get the response of any OPTIONS request.
    preflightContinue: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // Two hours, the most that Chromium caches a preflight for.
    maxAge: 7_200,
  };
  app.enableCors(({ headers }: Request, use: (error: null, options: CorsOptions) => void) =>
    use(null, { ...options, exposedHeaders: headers.origin === undefined ? [] : EXPOSED }),
  );
}
