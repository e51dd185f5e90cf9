import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FEATURES, SETTINGS } from '../app.module.js';
import { AccessTokensModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import { Configuration } from '../config/configuration.js';
import { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { DatabaseStartError } from '../database/database-start.error.js';
import { ResourceModule } from '../resource/resource.module.js';

/** What a command reads and writes. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
}

/** Milliseconds to wait while a service writes to the same file. */
const LOCK_TIMEOUT_MS = 10_000;

@Module({})
class CliModule {}

/**
 * Opens the store, lets `work` have it, and closes it whatever happens.
 *
 * Only a start of the service upgrades a store: running instances of the version before could not start again.
 *
 * @param which `new` makes a store that does not exist yet, `existing` fails then.
 */
export async function withStore<Result>(
  { env }: Terminal,
  which: 'new' | 'existing',
  work: (store: INestApplicationContext) => Promise<Result>,
): Promise<Result> {
  const configuration = new Configuration(SETTINGS, env);
  const settings = Object.assign(configuration.get(Settings), { lockTimeout: LOCK_TIMEOUT_MS });
  const { database } = settings;
  if (which === 'existing' && database.type === 'sqlite' && !existsSync(database.path))
    throw new DatabaseStartError(`The database file ${database.path} does not exist.`);
  const imports = [
    ConfigModule.forRoot(configuration),
    DatabaseModule.forRoot(settings, which === 'new' ? 'first' : 'none'),
    AccessTokensModule,
    ...FEATURES.flatMap(({ resource }) =>
      resource === undefined ? [] : [ResourceModule.forFeature(resource)],
    ),
  ];
  const store = await NestFactory.createApplicationContext(
    { module: CliModule, imports },
    { abortOnError: false, logger: false },
  );
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
