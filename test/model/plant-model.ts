import type { EntityTags } from './entity-tags.js';
import type { Content } from './operation.js';
import type { Request } from './request.js';

/** The plants of the store. */
export type Plants = ReadonlyMap<bigint, Content>;

/** What an answer has to be. */
export interface Expected {
  readonly status: number;
  readonly error?: number;
  readonly body?: unknown;
  /** The content whose entity tag comes along. */
  readonly tagOf?: Content;
  /** Whether a list leads to a next page. */
  readonly hasMore?: boolean;
}

/** What the service has to answer to a request, and the plants as they are then. */
export function answer(
  plants: Plants,
  request: Request,
  tags: EntityTags,
): { readonly expected: Expected; readonly plants: Plants } {
  if (request.kind === 'list' || request.kind === 'walk') return { expected: list(plants, request), plants };
  const { id } = request;
  const current = plants.get(id);
  const unchanged = (expected: Expected) => ({ expected, plants });
  const changed = (status: number, content: Content) => ({
    expected: { status, body: { id, ...content }, tagOf: content },
    plants: new Map(plants).set(id, content),
  });
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
      return unchanged({ status: 200, body: { id, ...current }, tagOf: current });
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
  current: Content | undefined,
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
  current: Content,
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

function list(
  plants: Plants,
  { kind, query: { limit = 100, after, tag, name = '' } }: Extract<Request, { query: object }>,
): Expected {
  const found = [...plants]
    .filter(([id]) => after === undefined || id > after)
    .filter(([, content]) => tag === undefined || content.tag === tag)
    .filter(([, content]) => content.name.startsWith(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, content]) => Object.assign({ id }, content));
  if (kind === 'list') return { status: 200, body: found.slice(0, limit), hasMore: found.length > limit };
  const pages = Array.from({ length: Math.max(1, Math.ceil(found.length / limit)) }, (_, page) =>
    found.slice(page * limit, (page + 1) * limit),
  );
  return { status: 200, body: pages, hasMore: false };
}
