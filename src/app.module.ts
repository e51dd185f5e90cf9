import { type DynamicModule, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { DataSource, ObjectLiteral } from 'typeorm';
import { AuthModule } from './auth/auth.module.js';
import { ADMIN } from './auth/principal.js';
import { BackupModule } from './features/backups/scheduled-backups.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import * as features from './features.js';
import { HttpModule } from './http/http.module.js';
import type { ContractPart } from './openapi/openapi.js';
import { TracingModule } from './features/tracing/tracing.module.js';
import type { Collection } from './resource/collection.js';
import { assertDescribed, type Resource } from './resource/resource.js';
import { collectionToken } from './resource/resource.module.js';
import { Table } from './store/table.js';

/** A module with its operations and its resource. */
interface Feature extends Type<unknown> {
  /** The group of its operations in the contract. */
  readonly tag: { readonly name: string; readonly description: string };
  /** Paths of health probes, whose successes are logged at `debug`. */
  readonly probes?: readonly string[];
  /** The scopes that its operations require. */
  readonly scopes?: readonly string[];
  /** What it stores, and the command line imports and exports. */
  readonly resource?: Resource<ObjectLiteral>;
  /** What the contract says of it beside its operations. */
  readonly describe?: (resources: readonly Resource<ObjectLiteral>[]) => ContractPart;
}

/** Every feature. */
export const FEATURES: readonly Feature[] = Object.values(features);

/** Every resource. */
export const RESOURCES = FEATURES.flatMap(({ resource = [] }) => resource);

/** Every scope that an access token may have. */
export const SCOPES = [...FEATURES.flatMap(({ scopes = [] }) => scopes), ADMIN];

/** The whole service. */
@Module({})
export class AppModule implements OnModuleInit {
  constructor(private readonly modules: ModuleRef) {}

  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(settings),
        DatabaseModule.forRoot(settings, 'all', assertResources),
        // Guards run in the order of imports: authentication comes before the body is read.
        AuthModule.forRoot(SCOPES, settings.oidc),
        HttpModule.forRoot(settings),
        BackupModule,
        ...(settings.tracing === undefined ? [] : [TracingModule]),
        ...FEATURES,
      ],
    };
  }

  /** Only the service makes and removes triggers and indexes, and no command. Deliveries to webhooks need them. */
  async onModuleInit(): Promise<void> {
    for (const { entity } of RESOURCES)
      await this.modules.get<Collection<ObjectLiteral>>(collectionToken(entity), { strict: false }).prepare();
  }
}

/** @throws Error when an entity and its DTOs disagree. */
function assertResources(dataSource: DataSource): void {
  for (const resource of RESOURCES) assertDescribed(resource, new Table(dataSource, resource.entity));
}
