import { isDeepStrictEqual } from 'node:util';
import type { PlantContent, PlantPatch } from './plant-reference.js';

/** The plants of the store. */
export type Plants = ReadonlyMap<bigint, PlantContent>;

/** The entity tag of a plant with this content; of none if that is undefined. */
export interface Tag {
  readonly value: string;
  readonly content: PlantContent | undefined;
}

/** `If-Match: *`, `If-None-Match: *`, or `If-Match` with a tag. */
export type Condition = 'exists' | 'is absent' | Tag;

/** What a client asks of the service. */
export type Request<Held = Tag, Asked = Condition> =
  | { readonly kind: 'create'; readonly id: bigint; readonly content: PlantContent }
  | { readonly kind: 'put'; readonly id: bigint; readonly content: PlantContent; readonly condition?: Asked }
  | { readonly kind: 'patch'; readonly id: bigint; readonly patch: PlantPatch; readonly condition?: Asked }
  | { readonly kind: 'delete'; readonly id: bigint; readonly condition?: Asked }
  /** The condition is `If-None-Match` with a tag. */
  | { readonly kind: 'read'; readonly id: bigint; readonly condition?: Held }
  | { readonly kind: 'list'; readonly query: ListQuery };

export interface ListQuery {
  /** Alone. */
  readonly ids?: readonly bigint[];
  readonly sort?: 'id' | '-id' | 'name' | '-name';
  readonly search?: string;
  readonly total?: boolean;
  readonly limit?: number;
  readonly tag?: string;
  readonly name?: string;
}

/** What an answer has to be. */
export interface Expected {
  readonly status: number;
  readonly error?: number;
  readonly body?: unknown;
  readonly hasTag?: true;
  /** Whether a list leads to a next page. */
  readonly hasMore?: boolean;
  /** On all pages. */
  readonly total?: number;
}

/** What the service has to answer to a request, and the plants as they are then. */
export function answer(
  plants: Plants,
  request: Request,
): { readonly expected: Expected; readonly plants: Plants } {
  const unchanged = (expected: Expected) => ({ expected, plants });
  if (request.kind === 'list') return unchanged(list(plants, request.query));
  const { id } = request;
  const current = plants.get(id);
  if (request.kind === 'create') {
    if (current !== undefined) return unchanged({ status: 400, error: 40900 });
    const { content } = request;
    return { expected: { status: 200, body: content }, plants: new Map(plants).set(id, content) };
  }
  if (request.kind !== 'put' && current === undefined) return unchanged({ status: 404, error: 40401 });
  if (request.kind === 'read') {
    if (request.condition !== undefined && isMet(request.condition, current))
      return unchanged({ status: 304, hasTag: true });
    return unchanged({ status: 200, body: { id, ...current }, hasTag: true });
  }
  if (!isMet(request.condition, current)) return unchanged({ status: 412, error: 41200 });
  if (request.kind === 'delete')
    return { expected: { status: 204 }, plants: new Map([...plants].filter(([other]) => other !== id)) };
  const next = request.kind === 'put' ? request.content : { ...current, ...request.patch };
  const { name = '', tag } = next;
  const content = typeof tag === 'string' ? { name, tag } : { name };
  return {
    expected: { status: current === undefined ? 201 : 200, body: { id, ...content }, hasTag: true },
    plants: new Map(plants).set(id, content),
  };
}

function isMet(condition: Condition | undefined, current: PlantContent | undefined): boolean {
  if (condition === undefined) return true;
  if (condition === 'is absent') return current === undefined;
  if (condition === 'exists') return current !== undefined;
  return current !== undefined && isDeepStrictEqual(current, condition.content);
}

/** Characters of a name and of a tag by which plants are looked up. */
export const INDEXED = 64;

function list(plants: Plants, { ids, limit = 100, tag, name, sort, search, total }: ListQuery): Expected {
  if (ids !== undefined) {
    const found = [...new Set(ids)].filter((id) => plants.has(id));
    return { status: 200, body: found.map((id) => Object.assign({ id }, plants.get(id))), hasMore: false };
  }
  if (Array.from(tag ?? '').length >= INDEXED || Array.from(name ?? '').length > INDEXED)
    return { status: 400, error: 40002 };
  const words = search?.toLowerCase().split(/\s+/) ?? [];
  if (words.includes('')) return { status: 400, error: 40002 };
  // With a filter they are in the order of the names, byte by byte, and only of what the index holds.
  const isFiltered = tag !== undefined || name !== undefined;
  if (isFiltered && sort?.endsWith('id')) return { status: 400, error: 40002 };
  const isByName = isFiltered || sort?.endsWith('name');
  const sign = sort?.startsWith('-') ? -1 : 1;
  const placeOf = (text: string) => Buffer.from(isByName ? Array.from(text).slice(0, INDEXED).join('') : '');
  const found = [...plants]
    .map(([id, content]) => Object.assign({ id }, content))
    .filter(({ name: first, tag: second = '' }) =>
      words.every((word) => [first, second].some((text) => text.toLowerCase().includes(word))),
    )
    .filter((plant) => tag === undefined || plant.tag === tag)
    .filter((plant) => plant.name.startsWith(name ?? ''))
    .toSorted((a, b) => sign * (Buffer.compare(placeOf(a.name), placeOf(b.name)) || (a.id < b.id ? -1 : 1)));
  return {
    status: 200,
    body: found.slice(0, limit),
    hasMore: found.length > limit,
    ...(total && { total: found.length }),
  };
}
