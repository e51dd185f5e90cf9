import type { EntityTags } from './entity-tags.js';
import type { Content, Plant } from './operation.js';
import type { Request } from './request.js';

/** The plants of the store. */
export type Plants = ReadonlyMap<bigint, Content>;

/** What an answer has to be. */
export interface Expected {
  readonly status: number;
  readonly error?: number;
  readonly body?: unknown;
  /** The plant whose entity tag comes along. */
  readonly tagOf?: Plant;
  /** Whether a list leads to a next page. */
  readonly hasMore?: boolean;
}

/** What the service has to answer to a request, and the plants as they are then. */
export function answer(
  plants: Plants,
  request: Request,
  tags: EntityTags,
): { readonly expected: Expected; readonly plants: Plants } {
  if (request.kind === 'list') return { expected: list(plants, request), plants };
  const { id } = request;
  const content = plants.get(id);
  const current = content && { id, ...content };
  const unchanged = (expected: Expected) => ({ expected, plants });
  const changed = (status: number, { name, tag }: Content) => {
    const next = tag === undefined ? { name } : { name, tag };
    const plant = { id, ...next };
    return { expected: { status, body: plant, tagOf: plant }, plants: new Map(plants).set(id, next) };
  };
  switch (request.kind) {
    case 'create':
      if (current !== undefined) return unchanged({ status: 400, error: 40900 });
      return {
        expected: { status: 200, body: request.content },
        plants: new Map(plants).set(id, request.content),
      };
    case 'read':
      if (current === undefined) return unchanged({ status: 404, error: 40401 });
      if (knows(request, current, tags)) return unchanged({ status: 304, tagOf: current });
      return unchanged({ status: 200, body: current, tagOf: current });
    case 'put':
      if (!isAllowed(request, current, tags)) return unchanged({ status: 412, error: 41200 });
      return changed(current === undefined ? 201 : 200, request.content);
    case 'patch':
      if (current === undefined) return unchanged({ status: 404, error: 40401 });
      if (!isAllowed(request, current, tags)) return unchanged({ status: 412, error: 41200 });
      return changed(200, patched(current, request.patch));
    case 'delete':
    default:
      if (current === undefined) return unchanged({ status: 404, error: 40401 });
      if (!isAllowed(request, current, tags)) return unchanged({ status: 412, error: 41200 });
      return {
        expected: { status: 204 },
        plants: new Map([...plants].filter(([other]) => other !== id)),
      };
  }
}

function isAllowed(
  { ifMatch, mustBeAbsent }: Pick<Extract<Request, { kind: 'put' }>, 'ifMatch' | 'mustBeAbsent'>,
  current: Plant | undefined,
  tags: EntityTags,
): boolean {
  if (mustBeAbsent) return current === undefined;
  if (ifMatch === undefined) return true;
  if (current === undefined) return false;
  if (ifMatch === '*') return true;
  // Weak tags are no proof that nothing has changed (RFC 9110, section 13.1.1).
  return ifMatch.some(({ tag, isWeak }) => !isWeak && tag === tags.of(current));
}

function knows(
  { ifNoneMatch }: Extract<Request, { kind: 'read' }>,
  current: Plant,
  tags: EntityTags,
): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.some(({ tag }) => tag === tags.of(current));
}

function patched(
  current: Content,
  { name = current.name, tag = current.tag }: { readonly name?: string; readonly tag?: string | null },
): Content {
  return typeof tag === 'string' ? { name, tag } : { name };
}

/** Characters of a name and of a tag by which plants are looked up. */
const INDEXED = 64;

function list(
  plants: Plants,
  { query: { limit = 100, after, tag, name } }: Extract<Request, { query: object }>,
): Expected {
  if (length(tag) >= INDEXED || length(name) > INDEXED) return { status: 400, error: 40002 };
  if (after !== undefined && !indexed(after.name).startsWith(name ?? ''))
    return { status: 400, error: 40002 };
  const isFiltered = tag !== undefined || name !== undefined;
  const compare = isFiltered ? compareNames : compareIds;
  const found = [...plants]
    .map(([id, content]): Plant => Object.assign({ id }, content))
    .filter((plant) => after === undefined || compare(plant, after) > 0)
    .filter((plant) => tag === undefined || plant.tag === tag)
    .filter((plant) => plant.name.startsWith(name ?? ''))
    .toSorted(compare);
  return { status: 200, body: found.slice(0, limit), hasMore: found.length > limit };
}

/** The part of a name by which plants are in order. */
export function indexed(name: string): string {
  return Array.from(name).slice(0, INDEXED).join('');
}

function length(text = ''): number {
  return Array.from(text).length;
}

type Place = Pick<Plant, 'id' | 'name'>;

function compareIds(a: Place, b: Place): number {
  return Number(a.id > b.id) - Number(a.id < b.id);
}

/** Byte by byte, and only what the index holds. */
function compareNames(a: Place, b: Place): number {
  return Buffer.compare(Buffer.from(indexed(a.name)), Buffer.from(indexed(b.name))) || compareIds(a, b);
}
