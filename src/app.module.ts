import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import { AuthModule } from './auth/auth.module.js';
import { ADMIN } from './auth/principal.js';
import { BackupModule } from './backup/backup.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { SoleServiceCheck } from './database/sole-service-check.js';
import { WalMarks } from './database/wal-marks.js';
import * as features from './features.js';
import { HttpModule } from './http/http.module.js';
import { TracingModule } from './tracing/tracing.module.js';
import type { Resource } from './resource/resource.js';

/** A module of the service, with what it brings along. */
interface Feature extends Type<unknown> {
  /** Under which the contract has its operations. */
  readonly tag: { readonly name: string; readonly description: string };
  /** Paths that probes ask for again and again. */
  readonly probes?: readonly string[];
  /** What its operations ask of an access token. */
  readonly scopes?: readonly string[];
  /** Whether it is wanted; without this, it is. */
  readonly isOn?: (settings: Settings) => boolean;
  /** What it stores, which can be imported and exported by the command line. */
  readonly resource?: Resource<ObjectLiteral>;
}

/** What the service offers. */
export const FEATURES: readonly Feature[] = Object.values(features);

/** The features that are wanted. */
export function featuresFor(settings: Settings): readonly Feature[] {
  return FEATURES.filter(({ isOn }) => isOn?.(settings) ?? true);
}

/** Every scope that an access token may have. */
export const SCOPES = [...FEATURES.flatMap(({ scopes = [] }) => scopes), ADMIN];

/** What the service is made of. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(settings),
        DatabaseModule.forRoot(settings),
        // Before HttpModule: guards run in this order, and nobody's body is read without a token.
        AuthModule.forRoot(SCOPES, settings.oidc),
        HttpModule.forRoot(settings),
        BackupModule,
        ...(settings.tracing === undefined ? [] : [TracingModule]),
        ...featuresFor(settings),
      ],
      // Not with the database: the command line has that too, and may be used beside a service.
      providers: [SoleServiceCheck, WalMarks],
    };
  }
}
