import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InvalidArgumentError, Option } from 'commander';
import type { ObjectLiteral } from 'typeorm';
import { AccessTokensModule } from '../auth/auth.module.js';
import { ConfigModule, Configuration } from '../config/configuration.js';
import { Settings } from '../config/settings.js';
import { DatabaseModule, type SchemaServer } from '../database/open-data-source.js';
import { DatabaseStartError } from '../database/database-start.error.js';
import type { Collection } from '../resource/collection.js';
import type { Resource } from '../resource/resource.js';
import { collectionToken, ResourceModule } from '../resource/resource.module.js';

/** What `plant-store` reads and writes. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
}

/** Milliseconds to wait while a service writes to the same file. */
const LOCK_TIMEOUT_MS = 10_000;

/** Parses an argument that is a time with an offset (RFC 3339). */
export function parseTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It must be a time such as 2026-03-01T08:30:00Z.');
}

@Module({})
class CliModule {}

/** Gives the commands of `plant-store` their settings and the store. */
export class CommandLine {
  /**
   * @param settings every class of settings.
   * @param resources by name.
   * @param places modules that decide where rows are stored.
   * @param schemaServer the server that runs migrations, if a feature knows one.
   */
  constructor(
    readonly terminal: Terminal,
    private readonly settings: readonly Type<object>[],
    private readonly resources: ReadonlyMap<string, Resource<ObjectLiteral>>,
    private readonly places: readonly Type<unknown>[],
    private readonly schemaServer?: SchemaServer,
  ) {}

  /** @throws ConfigurationError that names every variable with a bad value. */
  configure(): Configuration {
    return new Configuration(this.settings, this.terminal.env);
  }

  /** The option that chooses a resource. */
  resourceOption(): Option {
    return new Option('--of <resource>', 'the resource')
      .choices([...this.resources.keys()])
      .default('plants');
  }

  /** Opens the store like `withStore()`, and passes the collection of one resource, with the rows of all owners. */
  withCollection(
    which: 'new' | 'existing',
    name: string,
    work: (collection: Collection<ObjectLiteral>, store: INestApplicationContext) => Promise<void>,
  ): Promise<void> {
    return this.withStore(
      which,
      async (store) => {
        const { entity } = this.resources.get(name) as Resource<ObjectLiteral>;
        const collection: Collection<ObjectLiteral> = store.get(collectionToken(entity), { strict: false });
        await work(collection.ofEveryone(), store);
      },
      this.places,
    );
  }

  /**
   * Opens the store for `work`, and closes it whatever happens.
   *
   * Only a start of the service upgrades a store: after an upgrade, running instances of the previous version could not restart.
   *
   * @param which `new` creates a missing store, `existing` fails without one.
   * @param modules more modules that `work` needs.
   */
  async withStore<Result>(
    which: 'new' | 'existing',
    work: (store: INestApplicationContext) => Promise<Result>,
    modules: readonly Type<unknown>[] = [],
  ): Promise<Result> {
    const configuration = this.configure();
    const settings = Object.assign(configuration.get(Settings), { lockTimeout: LOCK_TIMEOUT_MS });
    const { database } = settings;
    if (which === 'existing' && database.type === 'sqlite' && !existsSync(database.path))
      throw new DatabaseStartError(`The database file ${database.path} does not exist.`);
    const imports = [
      ConfigModule.forRoot(configuration),
      DatabaseModule.forRoot(settings, which === 'new' ? 'first' : 'none', undefined, this.schemaServer),
      AccessTokensModule,
      ...modules,
      ...Array.from(this.resources.values(), (resource) => ResourceModule.forFeature(resource)),
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
}
