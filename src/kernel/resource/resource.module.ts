import { type DynamicModule, Inject, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { GroupCommit } from '../store/group-commit.js';
import { Sites } from '../store/sites.js';
import { Snapshots } from '../store/scans/snapshots.js';
import { StoreModule } from '../store/store.module.js';
import { Collection } from './collection.js';
import type { Resource } from './resource.js';

/** Makes a resource a part of the store: its `Collection` and TypeORM's repository of it. */
@Module({})
export class ResourceModule {
  static forFeature<Row extends ObjectLiteral>(resource: Resource<Row>): DynamicModule {
    const collection = {
      provide: collectionToken(resource.entity),
      useFactory: (...parts: [DataSource, GroupCommit, Snapshots, Sites?]) =>
        new Collection(resource, ...parts),
      inject: [DataSource, GroupCommit, Snapshots, { token: Sites, optional: true }],
    };
    const repository = TypeOrmModule.forFeature([resource.entity]);
    return {
      module: ResourceModule,
      // Other features may refer to this one's resources.
      global: true,
      imports: [repository, StoreModule],
      providers: [collection],
      exports: [collection, repository, StoreModule],
    };
  }
}

/** Injects the `Collection` of an entity. */
export function InjectCollection(entity: EntityTarget<ObjectLiteral>): ParameterDecorator {
  return Inject(collectionToken(entity));
}

/** Nest's injection token for the `Collection` of an entity. */
export function collectionToken(entity: EntityTarget<ObjectLiteral>): string {
  return `Collection of ${(entity as { name: string }).name}`;
}
