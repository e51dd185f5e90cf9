import type { DatabaseSettings, Settings } from './config/settings.js';
import { describeDatabase } from './database/describe-database.js';

/** What of the settings goes to the log at start; a new one has to be named here, so that no secret gets in by chance. */
export function describeSettings(settings: Settings): { readonly [Name in keyof Settings]: unknown } {
  return {
    host: settings.host,
    port: settings.port,
    database: withoutAddress(settings.database),
    bootstrapToken: settings.bootstrapToken === undefined ? 'none' : 'given',
    oidc: settings.oidc,
    baseUrl: settings.baseUrl,
    corsOrigins: settings.corsOrigins,
    trustedProxies: settings.trustedProxies,
    bodyLimit: settings.bodyLimit,
    requestMemoryLimit: settings.requestMemoryLimit,
    writeQueueLimit: settings.writeQueueLimit,
    timeouts: settings.timeouts,
    metrics: settings.metrics,
    log: settings.log,
  };
}

/** The address of a PostgreSQL has its password, and where the key of a certificate is. */
function withoutAddress(database: DatabaseSettings): object {
  if (database.type === 'sqlite') return database;
  const { url: _, ...others } = database;
  return { ...others, address: describeDatabase(database) };
}
