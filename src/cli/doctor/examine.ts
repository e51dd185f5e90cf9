import { existsSync } from 'node:fs';
import { DataSource, MigrationExecutor } from 'typeorm';
import { AccessToken } from '../../auth/access-token.entity.js';
import { AccessTokensService } from '../../auth/access-tokens.service.js';
import { effectiveValues, DEFAULTS, readSettings } from '../../config/environment.js';
import type { DatabaseSettings, Settings } from '../../config/settings.js';
import { examinationOptions } from '../../database/data-source-options.js';
import { DatabaseStartError } from '../../database/database-start.error.js';
import { WalMarks } from '../../database/wal-marks.js';
import { checkClock } from './check-clock.js';
import { checkFile } from './check-file.js';
import { checkIntegrity } from './check-integrity.js';
import { checkSchema } from './check-schema.js';
import { checkServer } from './check-server.js';
import { checkTokens } from './check-tokens.js';
import { type Finding, ok, problem } from './finding.js';

/** Milliseconds to wait for a process that has locked the file: a service does so for moments only. */
const LOCK_TIMEOUT_MS = 1_000;

/** Looks at everything that a service with this environment depends on, without changing any of it. */
export async function examine(environment: NodeJS.ProcessEnv, isDeep: boolean): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = readSettings(environment, { lockTimeout: LOCK_TIMEOUT_MS });
  } catch (error) {
    const advice = 'Correct the environment or the file .env: docs/configuration.md lists every setting.';
    return [problem('settings', (error as Error).message, advice)];
  }
  const findings = [describeSettings(environment)];
  for await (const finding of examineDatabase(settings, isDeep)) findings.push(finding);
  return findings;
}

function describeSettings(environment: NodeJS.ProcessEnv): Finding {
  const values = effectiveValues(environment);
  const changed = Object.entries(values).filter(([name, value]) => value !== DEFAULTS[name]);
  const shown = changed
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  return ok('settings', `Valid; ${shown === '' ? 'all have their defaults' : `set are ${shown}`}.`, values);
}

async function* examineDatabase(settings: Settings, isDeep: boolean): AsyncGenerator<Finding> {
  const { database } = settings;
  if (database.type === 'sqlite') yield* checkFile(database);
  if (database.type === 'sqlite' && !existsSync(database.path)) return;
  const dataSource = new DataSource({
    ...examinationOptions({ database: isDeep ? withoutTimeout(database) : database }),
    entities: [AccessToken],
  });
  try {
    if (database.type === 'sqlite') WalMarks.refuseForeignLog(database.path);
    await dataSource.initialize();
    yield* checkServer(dataSource, settings);
    const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
    yield checkSchema(dataSource, executed);
    if (isDeep) yield await checkIntegrity(dataSource);
    // A database that nobody has started a service on has nothing else yet.
    if (executed.length === 0) return;
    const tokens = await new AccessTokensService(dataSource.getRepository(AccessToken)).list();
    const times = tokens.map(({ createdAt, revokedAt }) => (revokedAt ?? createdAt).getTime());
    yield await checkClock(dataSource, Math.max(...times, ...executed.map(({ timestamp }) => timestamp)));
    yield* checkTokens(tokens, settings.bootstrapToken);
  } catch (error) {
    // What stops one check stops those behind it, too.
    const { message } = DatabaseStartError.from(error, database);
    yield problem('database', message, 'docs/operations.md says what to do when the database is away.');
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/** To read all of a large store takes longer than any statement of a service may. */
function withoutTimeout(database: DatabaseSettings): DatabaseSettings {
  return database.type === 'postgres' ? { ...database, statementTimeout: 0 } : database;
}
