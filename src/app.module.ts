import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AuthModule } from './kernel/auth/auth.module.js';
import { ADMIN } from './kernel/auth/principal.js';
import { ConfigModule, type Configuration } from './kernel/config/configuration.js';
import { Settings } from './kernel/config/settings.js';
import { DatabaseModule } from './kernel/database/open-data-source.js';
import type { Feature } from './kernel/app/feature.js';
import * as features from './features.js';
import { HttpModule } from './kernel/http/http.module.js';
import { assertDescribed } from './kernel/resource/resource.js';
import { Table } from './kernel/store/table.js';

/** Every feature, sorted because a test runner loads them in another order. */
export const FEATURES: readonly Feature[] = Object.entries<Feature>(features)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([, feature]) => feature);

/** Every class of settings. */
export const SETTINGS = [Settings, ...FEATURES.flatMap(({ settings = [] }) => settings)];

/** Every resource, by name. */
export const RESOURCES = new Map(
  FEATURES.flatMap(({ resource, tag }) => (resource && tag ? [[tag.name, resource] as const] : [])),
);

/** Every scope that an access token may have. */
export const SCOPES = [...FEATURES.flatMap(({ scopes = [] }) => scopes).toSorted(), ADMIN];

/** The server that runs migrations, if a feature knows one. */
export const SCHEMA_SERVER = FEATURES.find(({ schemaServer }) => schemaServer)?.schemaServer;

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
        DatabaseModule.forRoot(settings, 'all', assertResources, SCHEMA_SERVER),
        // Guards run in the order of imports: authentication comes before the body is read.
        AuthModule.forRoot(SCOPES),
        HttpModule.forRoot(settings),
        ...featuresOf(configuration),
      ],
    };
  }
}

/** @throws Error when an entity and its DTOs disagree, or another entity would write its rows. */
export function assertResources(dataSource: DataSource): void {
  for (const resource of RESOURCES.values())
    assertDescribed(resource, new Table(dataSource, resource.entity));
  const entities = new Set<unknown>(Array.from(RESOURCES.values(), ({ entity }) => entity));
  for (const { relations } of dataSource.entityMetadatas)
    for (const relation of relations) {
      const { isCascadeInsert, isCascadeUpdate, isCascadeRemove, inverseEntityMetadata: other } = relation;
      if ((isCascadeInsert || isCascadeUpdate || isCascadeRemove) && entities.has(other.target))
        throw new Error(
          `${relation.entityMetadata.name}.${relation.propertyPath} must not cascade to ${other.name}: it would write back what others have changed. Write it by its Collection.`,
        );
    }
}
