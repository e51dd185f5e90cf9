import type { NestExpressApplication } from '@nestjs/platform-express';
import { REQUEST_ID_HEADER } from './middleware.js';

/** Lets pages of these origins use the service from a browser (Fetch standard, CORS protocol), with a token and without cookies. */
export function allowOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  app.enableCors({
    origin: [...origins],
    // Preflights get the response of any OPTIONS request.
    preflightContinue: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'Allow',
      'Content-Disposition',
      'ETag',
      'Link',
      'Location',
      'Preference-Applied',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'WWW-Authenticate',
      'X-Next-After',
      'X-Total-Count',
      REQUEST_ID_HEADER,
    ],
    // Two hours, the most that Chromium caches a preflight for.
    maxAge: 7_200,
  });
}
