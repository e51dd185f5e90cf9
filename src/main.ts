import { announce } from './announce.js';
import { createApp } from './app.setup.js';
import { readSettings } from './config/environment.js';
import { loadEnvironment } from './config/load-environment.js';
import { endInTime } from './end-in-time.js';
import { failToStart } from './fail-to-start.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

try {
  const settings = readSettings(loadEnvironment());
  const app = await createApp(settings);
  app.enableShutdownHooks([...STOP_SIGNALS], { useProcessExit: true });
  endInTime(STOP_SIGNALS, settings);
  await app.listen(settings.port, settings.host);
  await announce(app, settings);
} catch (error) {
  failToStart(error);
}
