import {
  type DeleteResult,
  EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  type ObjectLiteral,
  type QueryDeepPartialEntity,
  type UpdateResult,
} from 'typeorm';
import type { PickKeysByType } from 'typeorm/common/PickKeysByType.js';
import { RawSqlResultsToEntityTransformer } from 'typeorm/query-builder/transformer/RawSqlResultsToEntityTransformer.js';
import { OrmUtils } from 'typeorm/util/OrmUtils.js';
import { TreeRepositoryUtils } from 'typeorm/util/TreeRepositoryUtils.js';
import { int64 } from './column-types.js';

/*
 * Replaces the four functions of TypeORM 1.1 that do not support `bigint`. `test/store/relations.test.ts` fails without the
 * replacements, and if TypeORM renames a function.
 */

type Where<Entity> = FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[];
type Int64Of<Entity> = PickKeysByType<Entity, bigint | null | undefined>;

declare module 'typeorm/repository/Repository.js' {
  interface Repository<Entity extends ObjectLiteral> {
    delete(ids: bigint | bigint[]): Promise<DeleteResult>;
    softDelete(ids: bigint | bigint[]): Promise<UpdateResult>;
    restore(ids: bigint | bigint[]): Promise<UpdateResult>;
    update(ids: bigint | bigint[], changes: QueryDeepPartialEntity<Entity>): Promise<UpdateResult>;
    minimum(column: Int64Of<Entity>, where?: Where<Entity>): Promise<bigint | null>;
    maximum(column: Int64Of<Entity>, where?: Where<Entity>): Promise<bigint | null>;
    sum(column: Int64Of<Entity>, where?: Where<Entity>): Promise<bigint | null>;
  }
}

type Aggregate = (
  this: EntityManager,
  entity: EntityTarget<ObjectLiteral>,
  name: string,
  property: string,
  where?: Where<ObjectLiteral>,
) => Promise<unknown>;

/** The replaced members. Some are private. */
interface Members {
  readonly extractEntityPrimaryIds: (relation: unknown, data: unknown) => unknown;
  readonly createRelationMaps: (...parameters: unknown[]) => { id: unknown; parentId: unknown }[];
  readonly isSinglePrimitiveCriteria: (criteria: unknown) => boolean;
  readonly callAggregateFun: Aggregate;
}

const { isSinglePrimitiveCriteria } = OrmUtils as unknown as Members;
const { createRelationMaps } = TreeRepositoryUtils as unknown as Members;
const { callAggregateFun } = EntityManager.prototype as unknown as Members;

// TypeORM hashes the ids of a relation as JSON, which has no `bigint`.
Object.assign(RawSqlResultsToEntityTransformer.prototype, {
  hashEntityIds(this: Members, relation: unknown, data: unknown): string {
    return JSON.stringify(this.extractEntityPrimaryIds(relation, data), digitsOf);
  },
});

// TypeORM compares the id of a parent as the driver returns it, and silently drops the children.
Object.assign(TreeRepositoryUtils, {
  createRelationMaps: (...parameters: unknown[]) =>
    createRelationMaps(...parameters).map(({ id, parentId }) => ({
      id,
      parentId: typeof id === 'bigint' ? (int64.from(parentId) as unknown) : parentId,
    })),
});

// TypeORM treats a `bigint` as a missing id.
Object.assign(OrmUtils, {
  isSinglePrimitiveCriteria: (criteria: unknown) =>
    typeof criteria === 'bigint' || isSinglePrimitiveCriteria(criteria),
});

// TypeORM rounds by `parseFloat()`.
Object.assign(EntityManager.prototype, {
  async callAggregateFun(this: EntityManager, ...parameters: Parameters<Aggregate>): Promise<unknown> {
    const [entity, name, property, where = {}] = parameters;
    const column = this.dataSource.getMetadata(entity).findColumnWithPropertyPath(property);
    if (column?.transformer !== int64 || name === 'AVG') return callAggregateFun.apply(this, parameters);
    const found = await this.createQueryBuilder(entity, 'found')
      .setFindOptions({ where })
      .select(`${name}(found.${property})`, 'value')
      .setOption('disable-global-order')
      .getRawOne<{ value: unknown }>();
    return int64.from(found?.value ?? null) as unknown;
  },
});

function digitsOf(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
