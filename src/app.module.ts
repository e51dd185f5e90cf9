import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AuthModule } from './auth/auth.module.js';
import { ADMIN } from './auth/principal.js';
import { ConfigModule } from './config/config.module.js';
import type { Configuration } from './config/configuration.js';
import { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import type { Feature } from './feature.js';
import * as features from './features.js';
import { HttpModule } from './http/http.module.js';
import { assertDescribed } from './resource/resource.js';
import { Table } from './store/table.js';

/** Every feature. */
export const FEATURES: readonly Feature[] = Object.values(features);

/** Every class of settings. */
export const SETTINGS = [Settings, ...FEATURES.flatMap(({ settings = [] }) => settings)];

/** Every resource, by name. */
export const RESOURCES = new Map(
  FEATURES.flatMap(({ resource, tag }) => (resource && tag ? [[tag.name, resource] as const] : [])),
);

/** Every scope that an access token may have. Sorted, because a test runner loads the features in another order. */
export const SCOPES = [...FEATURES.flatMap(({ scopes = [] }) => scopes).toSorted(), ADMIN];

/** The features that these settings enable. */
export function featuresOf(configuration: Configuration): readonly Feature[] {
  return FEATURES.filter((feature) => feature.isOn?.(configuration, SCOPES) ?? true);
}

/** The whole service. */
@Module({})
export class AppModule {
  static forRoot(configuration: Configuration): DynamicModule {
    const settings = configuration.get(Settings);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(configuration),
        DatabaseModule.forRoot(settings, 'all', assertResources),
        // Guards run in the order of imports: authentication comes before the body is read.
        AuthModule.forRoot(SCOPES),
        HttpModule.forRoot(settings),
        ...featuresOf(configuration),
      ],
    };
  }
}

/** @throws Error when an entity and its DTOs disagree. */
function assertResources(dataSource: DataSource): void {
  for (const resource of RESOURCES.values())
    assertDescribed(resource, new Table(dataSource, resource.entity));
}
