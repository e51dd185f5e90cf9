import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessTokensModule } from '../auth/access-tokens.module.js';
import { AccessTokensService } from '../auth/access-tokens.service.js';
import { ConfigModule } from '../config/config.module.js';
import { readSettings } from '../config/environment.js';
import { loadEnvironment } from '../config/load-environment.js';
import type { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';

/** The part of the service that the command line needs. */
@Module({})
class CliModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: CliModule,
      imports: [ConfigModule.forRoot(settings), DatabaseModule.forRoot(settings), AccessTokensModule],
    };
  }
}

/** Opens the database, lets `work` have the access tokens in it, and closes the database whatever happens. */
export async function withAccessTokens<Result>(
  work: (tokens: AccessTokensService) => Promise<Result>,
): Promise<Result> {
  const context = await NestFactory.createApplicationContext(
    CliModule.forRoot(readSettings(loadEnvironment())),
    {
      abortOnError: false,
      logger: false,
    },
  );
  try {
    return await work(context.get(AccessTokensService));
  } finally {
    await context.close();
  }
}
