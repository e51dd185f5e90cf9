import { announce } from './announce.js';
import { createApp } from './app.setup.js';
import { changedValues, ConfigurationError, readSettings } from './config/environment.js';
import { loadEnvironment } from './config/load-environment.js';
import { DatabaseStartError } from './database/database-start.error.js';
import { createLogger } from './logging/create-logger.js';

/** Starts the service with the settings of the environment, or ends the process with the reason. */
export async function start(): Promise<void> {
  try {
    const environment = loadEnvironment();
    const settings = readSettings(environment);
    const logger = createLogger(settings.log);
    logger.info({ settings: changedValues(environment) }, 'Starting with the defaults, except for these.');
    const app = await createApp(settings, logger);
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    // Everything is closed by then. Before the others, which write the last lines of the log.
    process.prependOnceListener('exit', (code) => {
      if (code === 0) logger.info('Stopped.');
    });
    await app.listen(settings.port, settings.host);
    await announce(app, settings);
  } catch (error) {
    process.stderr.write(`plant-store did not start. ${describeFailure(error)}\n`);
    // A start may fail while the service listens already.
    process.exit(1);
  }
}

/** Why a start failed: one sentence if its operator can repair the cause, otherwise the whole error. */
export function describeFailure(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof DatabaseStartError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { syscall, message, stack } = error as NodeJS.ErrnoException;
  return syscall === 'listen' || syscall === 'getaddrinfo'
    ? `It cannot listen: ${message}.`
    : (stack ?? message);
}
