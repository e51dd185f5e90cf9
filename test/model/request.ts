import { withoutOtherFields } from '../support/plants.js';
import { type Service, TOKEN } from '../support/service.js';
import type { EntityTags } from './entity-tags.js';
import type { Content, ListQuery, Operation, Reference } from './operation.js';
import { indexed, type Plants } from './plant-model.js';

export interface SentTag {
  readonly tag: string;
  readonly isWeak: boolean;
}

/** What a write asks of the plant before it changes it. */
export interface Preconditions {
  readonly ifMatch?: '*' | readonly SentTag[] | undefined;
  readonly mustBeAbsent?: boolean;
}

/** An operation with the entity tags that a client sends. */
export type Request =
  | Extract<Operation, { kind: 'create' | 'list' }>
  | (Omit<Extract<Operation, { kind: 'put' }>, 'condition'> & Preconditions)
  | (Omit<Extract<Operation, { kind: 'patch' }>, 'condition'> & Preconditions)
  | (Omit<Extract<Operation, { kind: 'delete' }>, 'condition'> & Preconditions)
  | {
      readonly kind: 'read';
      readonly id: bigint;
      readonly ifNoneMatch?: '*' | readonly SentTag[] | undefined;
    };

/** What a client sees of an answer. */
export interface Observed {
  readonly status: number;
  readonly error?: number;
  readonly body?: unknown;
  readonly entityTag?: string;
  readonly hasMore?: boolean;
}

/** A tag in the form of those of the service, which stands for nothing. */
const UNKNOWN = '0123456789abcdef0123456789abcdef';

/** Puts entity tags that were learned in the place of references to them. */
export function asRequest(operation: Operation, plants: Plants, tags: EntityTags): Request {
  if (operation.kind === 'create' || operation.kind === 'list') return operation;
  const { id } = operation;
  const current = plants.get(id);
  const resolve = ({ to, isWeak }: Reference): SentTag => {
    if (to === 'none') return { tag: UNKNOWN, isWeak };
    const tag = to === 'current' ? current && tags.of({ id, ...current }) : tags.at(to);
    return { tag: tag ?? UNKNOWN, isWeak };
  };
  if (operation.kind === 'read') {
    const { known, ...rest } = operation;
    return { ...rest, ifNoneMatch: known === '*' ? '*' : known?.map(resolve) };
  }
  const { condition, ...rest } = operation;
  if (condition === 'is absent') return { ...rest, mustBeAbsent: true };
  return { ...rest, ifMatch: condition === 'exists' ? '*' : condition?.map(resolve) };
}

/** Whether an operation depends on the entity tag of the plant as it is. */
export function needsCurrentTag(operation: Operation): boolean {
  const condition =
    'condition' in operation ? operation.condition : 'known' in operation ? operation.known : undefined;
  return typeof condition === 'object' && condition.some(({ to }) => to === 'current');
}

/** Sends a request and reads its answer. */
export async function send(service: Service, request: Request): Promise<Observed> {
  switch (request.kind) {
    case 'create':
      return exchange(service, 'POST', '/plants', {}, bodyOf(request.content, request.id));
    case 'put':
      return exchange(service, 'PUT', pathOf(request), preconditions(request), bodyOf(request.content));
    case 'patch':
      return exchange(service, 'PATCH', pathOf(request), preconditions(request), bodyOf(request.patch));
    case 'delete':
      return exchange(service, 'DELETE', pathOf(request), preconditions(request));
    case 'read':
      return exchange(service, 'GET', pathOf(request), header('If-None-Match', request.ifNoneMatch));
    case 'list':
    default:
      return exchange(service, 'GET', `/plants?${parametersOf(request.query)}`, {});
  }
}

async function exchange(
  service: Service,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Observed> {
  const init: RequestInit = {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers },
  };
  const answer = await service.request(path, body === undefined ? init : { ...init, body });
  const { status } = answer;
  const entityTag = answer.headers.get('ETag');
  return {
    status,
    ...(answer.text !== '' && shown(status, withExactIds(withoutOtherFields(answer.text)))),
    ...(entityTag !== null && {
      entityTag: /^"(\w+)"$/.exec(entityTag)?.[1] ?? `not strong: ${entityTag}`,
    }),
    ...(status === 200 && path.startsWith('/plants?') && { hasMore: answer.headers.has('Link') }),
  };
}

function withExactIds(json: string): unknown {
  return JSON.parse(json, (name, value: unknown, { source = '' }: { source?: string } = {}) =>
    name === 'id' ? BigInt(source) : value,
  );
}

/** What the body shows: a plant or plants, or the value of an error. */
function shown(status: number, body: unknown): Pick<Observed, 'body' | 'error'> {
  if (status < 400) return { body };
  const { error, message } = body as { error: number; message: unknown };
  return { error: typeof message === 'string' ? error : Number.NaN };
}

function pathOf({ id }: { readonly id: bigint }): string {
  return `/plants/${id}`;
}

function bodyOf(members: Partial<Content> | { readonly tag?: string | null }, id?: bigint): string {
  return JSON.stringify(id === undefined ? members : { id: JSON.rawJSON(String(id)), ...members });
}

function parametersOf({ after, ...query }: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  if (after !== undefined) parameters.set('after', cursorOf(after, query));
  return parameters.toString();
}

/** The place of a plant in a list, as the service would write it into a `Link`. */
function cursorOf({ id, name }: Required<ListQuery>['after'], query: ListQuery): string {
  const isFiltered = query.tag !== undefined || query.name !== undefined;
  return isFiltered ? `${encodeURIComponent(indexed(name))},${id}` : String(id);
}

function preconditions({ ifMatch, mustBeAbsent }: Preconditions): Record<string, string> {
  return mustBeAbsent ? header('If-None-Match', '*') : header('If-Match', ifMatch);
}

function header(name: string, tags: '*' | readonly SentTag[] | undefined): Record<string, string> {
  if (tags === undefined) return {};
  return {
    [name]: tags === '*' ? tags : tags.map(({ tag, isWeak }) => `${isWeak ? 'W/' : ''}"${tag}"`).join(', '),
  };
}
