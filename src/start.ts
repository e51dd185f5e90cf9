import { announce } from './announce.js';
import { createApp } from './app.setup.js';
import { readSettings } from './config/environment.js';
import { loadEnvironment } from './config/load-environment.js';
import { failToStart } from './fail-to-start.js';

try {
  const settings = readSettings(loadEnvironment());
  const app = await createApp(settings);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await app.listen(settings.port, settings.host);
  await announce(app, settings);
} catch (error) {
  failToStart(error);
}
