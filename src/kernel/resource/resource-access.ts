import type { ObjectLiteral } from 'typeorm';
import type { Principal, Scope } from '../auth/principal.js';
import type { Collection } from './collection.js';
import { namesOf, ownScopeOf, type Resource } from './resource.js';

type Right = 'read' | 'write';

/** The alternative lists of scopes for an operation: the given rights and, if the resource has an owner, `own`. */
export function scopesOf(
  resource: Resource<ObjectLiteral>,
  ...rights: readonly Right[]
): readonly (readonly Scope[])[] {
  const { name } = namesOf(resource);
  const scopes = rights.map((right) => `${name}:${right}`);
  return resource.owner === undefined ? [scopes] : [scopes, [ownScopeOf(resource)]];
}

/** The resources that exist for a caller. */
export function visibleTo<Row extends ObjectLiteral>(
  caller: Principal,
  collection: Collection<Row>,
): Collection<Row> {
  return collection.resource.owner === undefined ? collection : collection.as(caller);
}
