import type { PlantRow } from './read-plants.js';

/** Entity tags of which a plant has to have one; undefined when anything will do. */
export type IfMatch = readonly string[] | undefined;

/** What one client wants done to one plant. */
export type PlantWrite = CreateWrite | PutWrite | PatchWrite | DeleteWrite;

export interface CreateWrite {
  readonly kind: 'create';
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string | undefined;
}

export interface PutWrite {
  readonly kind: 'put';
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string | undefined;
  /** Only a plant that is there is replaced; none is created. */
  readonly mustExist: boolean;
  readonly ifMatch: IfMatch;
}

export interface PatchWrite {
  readonly kind: 'patch';
  readonly id: bigint;
  /** undefined keeps the name. */
  readonly name?: string | undefined;
  /** undefined keeps the tag, null removes it. */
  readonly tag?: string | null | undefined;
  readonly ifMatch: IfMatch;
}

export interface DeleteWrite {
  readonly kind: 'delete';
  readonly id: bigint;
  readonly ifMatch: IfMatch;
}

/** What became of a write; a patch that was applied leads to the plant as it is now. */
export type PlantOutcome =
  | 'created'
  /** The id belongs to a plant already. */
  | 'taken'
  | 'replaced'
  | 'deleted'
  /** There is no such plant. */
  | 'missing'
  /** There is such a plant, but not one that `ifMatch` allows. */
  | 'mismatch'
  | PlantRow;
