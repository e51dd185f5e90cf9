import { type DynamicModule, Inject, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { Settings } from '../config/settings.js';
import { GroupCommit } from '../store/group-commit.js';
import { Snapshots } from '../store/snapshots.js';
import { StoreModule } from '../store/store.module.js';
import { Collection } from './collection.js';
import type { Resource } from './resource.js';
import { Transfers } from './transfer/transfers.js';

/** Makes a resource a part of the store: its `Collection`, TypeORM's repository of it, and its import and export. */
@Module({})
export class ResourceModule {
  static forFeature<Row extends ObjectLiteral>(resource: Resource<Row>): DynamicModule {
    const collection = {
      provide: collectionToken(resource.entity),
      useFactory: (dataSource: DataSource, commits: GroupCommit, snapshots: Snapshots, settings: Settings) =>
        new Collection(resource, dataSource, commits, snapshots, settings),
      inject: [DataSource, GroupCommit, Snapshots, Settings],
    };
    const repository = TypeOrmModule.forFeature([resource.entity]);
    return {
      module: ResourceModule,
      // Other features may refer to this one's resources.
      global: true,
      imports: [repository, StoreModule],
      providers: [collection, Transfers],
      exports: [collection, repository, Transfers],
    };
  }
}

/** Injects the `Collection` of an entity. */
export function InjectCollection(entity: EntityTarget<ObjectLiteral>): ParameterDecorator {
  return Inject(collectionToken(entity));
}

/** The token under which Nest has the `Collection` of an entity. */
export function collectionToken(entity: EntityTarget<ObjectLiteral>): string {
  return `Collection of ${(entity as { name: string }).name}`;
}
