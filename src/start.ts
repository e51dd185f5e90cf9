import { announce } from './announce.js';
import { createApp } from './app.setup.js';
import { effectiveValues, readSettings } from './config/environment.js';
import { loadEnvironment } from './config/load-environment.js';
import { failToStart } from './fail-to-start.js';
import { createLogger } from './logging/create-logger.js';

try {
  const environment = loadEnvironment();
  const settings = readSettings(environment);
  const logger = createLogger(settings.log);
  logger.info({ settings: effectiveValues(environment) }, 'Starting with these settings.');
  const app = await createApp(settings, logger);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.listen(settings.port, settings.host);
  await announce(app, settings);
} catch (error) {
  failToStart(error);
}
