import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { dataSourceOptions } from './data-source-options.js';
import { type MigrationPolicy, openDataSource, type SchemaServer } from './open-data-source.js';

/** The data source of either database. */
@Module({})
export class DatabaseModule {
  static forRoot(
    settings: Settings,
    policy?: MigrationPolicy,
    check?: (dataSource: DataSource) => void,
    schemaServer?: SchemaServer,
  ): DynamicModule {
    const typeOrm = TypeOrmModule.forRootAsync({
      useFactory: () => ({
        ...dataSourceOptions(settings),
        // Each resource declares its entity by `TypeOrmModule.forFeature()`.
        autoLoadEntities: true,
        // A database that cannot be opened stops the start at once, with a reason.
        toRetry: () => false,
      }),
      dataSourceFactory: (options) => openDataSource(settings, options, policy, check, schemaServer),
    });
    return { module: DatabaseModule, imports: [typeOrm] };
  }
}
