import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { AppModule, featuresOf } from '../../app.module.js';
import type { Configuration } from '../config/configuration.js';
import { publicAddress } from '../config/public-address.js';
import { Settings } from '../config/settings.js';
import { allowOrigins } from '../http/server/cors.js';
import { HttpAdapter } from '../http/server/http.adapter.js';
import { beginRequest } from '../http/server/middleware.js';
import { accessLog } from '../logging/access-log.js';
import { createLogger } from '../logging/create-logger.js';
import { NestLogger } from '../logging/nest-logger.js';
import { serveOpenApi } from '../openapi/openapi.js';

/**
 * Builds the service, ready to listen.
 *
 * @throws DatabaseStartError when the database cannot be used.
 */
export async function createApp(
  configuration: Configuration,
  logger: Logger = createLogger(configuration.get(Settings).log),
): Promise<NestExpressApplication> {
  const settings = configuration.get(Settings);
  const adapter = new HttpAdapter(settings);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(configuration), adapter, {
    abortOnError: false,
    // JsonBodyGuard reads bodies, after authentication.
    bodyParser: false,
    logger: new NestLogger(logger),
  });
  // Resources come first in the documents.
  const features = featuresOf(configuration).toSorted(
    (a, b) => Number(b.resource !== undefined) - Number(a.resource !== undefined),
  );
  const probes = new Set(features.flatMap((feature) => feature.probes ?? []));
  app.use(beginRequest(accessLog(logger, settings, probes)));
  // Before all routes, so that a page can read why a request is refused.
  if (settings.corsOrigins.length > 0) allowOrigins(app, settings.corsOrigins);
  serveOpenApi(
    app,
    features.flatMap(({ tag = [] }) => tag),
    (contract) => {
      for (const feature of features) feature.describe?.(contract, app);
    },
    () => publicAddress(app.getHttpServer(), settings),
  );
  const [page] = features.flatMap((feature) => feature.page ?? []);
  if (page !== undefined) leadBrowsers(app, page);
  return app;
}

/** Redirects browsers from `/` to a page; other clients get 404. */
function leadBrowsers(app: INestApplication, path: string): void {
  app.getHttpAdapter().get('/', (_request: unknown, response: Response, next?: Function) => {
    const pass = () => next?.();
    response.format({ json: pass, html: () => response.redirect(`.${path}`), default: pass });
  });
}
