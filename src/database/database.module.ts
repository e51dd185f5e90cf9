import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { Settings } from '../config/settings.js';
import { dataSourceOptions } from './data-source-options.js';
import { openDataSource } from './open-data-source.js';

/** The one connection to the database. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Settings],
      useFactory: (settings: Settings) => ({
        ...dataSourceOptions(settings),
        // A database that cannot be opened stops the start at once, with a reason.
        toRetry: () => false,
      }),
      dataSourceFactory: (options) => openDataSource(options as DataSourceOptions),
    }),
  ],
})
export class DatabaseModule {}
