import { DataSource } from 'typeorm';
import { announce } from './announce.js';
import { SETTINGS } from '../../app.module.js';
import { createApp } from './app.setup.js';
import { Configuration, ConfigurationError } from '../config/configuration.js';
import { loadEnvironment } from '../config/load-environment.js';
import { Settings } from '../config/settings.js';
import { SqliteDataSource } from '../database/sqlite/sqlite-data-source.js';
import { DatabaseStartError } from '../database/database-start.error.js';
import { createLogger } from '../logging/create-logger.js';

/** Starts the service with the settings of the environment, or ends the process with the reason. */
export async function start(): Promise<void> {
  try {
    const configuration = new Configuration(SETTINGS, loadEnvironment());
    const settings = configuration.get(Settings);
    const logger = createLogger(settings.log);
    logger.info({ settings: configuration.changes() }, 'Starting with the defaults, except for these.');
    for (const name of configuration.strays) logger.warn(`${name} is set, but is not a setting.`);
    const app = await createApp(configuration, logger);
    app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
    // Everything is closed at exit. Prepended, because a later listener writes the last lines of the log.
    process.prependOnceListener('exit', (code) => {
      if (code === 0) logger.info('Stopped.');
    });
    await app.listen(settings.PORT, settings.HOST);
    const dataSource = app.get(DataSource);
    if (dataSource instanceof SqliteDataSource) await dataSource.snapshots.begin();
    await announce(app, configuration);
  } catch (error) {
    process.stderr.write(`plant-store did not start. ${describeFailure(error)}\n`);
    // The service may be listening already.
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
