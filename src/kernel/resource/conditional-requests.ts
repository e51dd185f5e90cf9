import { hash } from 'node:crypto';
import { HttpStatus } from '@nestjs/common';
import type { Request, Response } from 'express';
import { invalidParameter, preconditionFailed } from './resource-errors.js';

/** The number of hexadecimal digits of an entity tag: 128 bits. */
const LENGTH = 32;

/**
 * The entity tag of a representation, without its quotes: the beginning of the SHA-256 of its JSON.
 *
 * Equal tags mean equal representations, so it is a strong validator (RFC 9110, section 8.8.1), on every instance alike.
 */
export function entityTag(representation: object): string {
  return entityTagOf(JSON.stringify(representation));
}

/** The entity tag of the JSON of a representation. */
export function entityTagOf(json: string): string {
  return hash('sha256', json, 'hex').slice(0, LENGTH);
}

/**
 * Sets `ETag` for a handler that reads, and returns the resource; or returns nothing and sets 304 when the client has the resource already.
 *
 * @throws ApiException 41200 when `If-Match` does not allow it.
 */
export function answerRead<Representation extends object>(
  response: Response,
  representation: Representation,
): Representation | undefined {
  const tag = entityTag(representation);
  const wanted = tagsOf(response.req, 'If-Match');
  if (wanted !== undefined && wanted !== '*' && !wanted.includes(tag)) throw preconditionFailed();
  // A cache must revalidate the resource, with a token.
  response.setHeader('Cache-Control', 'private, no-cache').setHeader('ETag', `"${tag}"`);
  const known = tagsOf(response.req, 'If-None-Match');
  if (known !== '*' && !known?.includes(tag)) return representation;
  response.status(HttpStatus.NOT_MODIFIED);
  return undefined;
}

/**
 * Sets `ETag` for a handler that writes, and returns the resource. If the service ignored a part of a PUT, there is no `ETag`:
 * the client would take its own body for the stored resource (RFC 9110, section 9.3.4).
 */
export function answerWrite<Representation extends object>(
  response: Response,
  representation: Representation,
): Representation {
  const { method, body } = response.req as { method: string; body: object };
  if (method !== 'PUT' || isStored(body, representation))
    response.setHeader('ETag', `"${entityTag(representation)}"`);
  return representation;
}

/** Whether a resource has every member of a body. */
function isStored(body: object, representation: object): boolean {
  const stored = new Map<string, unknown>(Object.entries(representation));
  return Object.entries(body).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(stored.get(name)),
  );
}

/** An entity tag (RFC 9110, section 8.8.3). */
const TAG = '(W/)?["][!#-~\\u0080-\\u00ff]*["]';

/**
 * `If-Match` and `If-None-Match`: `*`, or a list of entity tags, in which elements may be empty (RFC 9110, sections 13.1 and
 * 5.6.1.2). It is a `pattern` of the contract, so it uses only syntax that every contract tester understands.
 */
export const CONDITION = new RegExp(`^(\\*|[ \t,]*${TAG}([ \t]*,[ \t,]*${TAG})*[ \t,]*)$`);

/** The conditions under which a client changes a resource. */
export interface Preconditions {
  /** Entity tags without their quotes. The resource must have one of them; for `*` it must exist. */
  readonly ifMatch: readonly string[] | '*' | undefined;
  readonly mustNotExist: boolean;
}

/** The preconditions of a request that changes a resource; `If-None-Match` can only be `*`. */
export function preconditionsOf(request: Request): Preconditions {
  const ifNoneMatch = tagsOf(request, 'If-None-Match');
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw invalidParameter('If-None-Match must be *');
  return { ifMatch: tagsOf(request, 'If-Match'), mustNotExist: ifNoneMatch === '*' };
}

/** The entity tags of a condition without their quotes. For `If-Match`, weak ones never match (RFC 9110, section 13.1). */
function tagsOf(request: Request, name: 'If-Match' | 'If-None-Match'): readonly string[] | '*' | undefined {
  const value = request.get(name)?.trim();
  if (value === undefined || value === '*') return value;
  if (!CONDITION.test(value)) throw invalidParameter(`${name} must be * or a list of entity tags in quotes`);
  return tagsIn(value, name === 'If-None-Match');
}

/** The entity tags of a list, without their quotes: all tags if weak ones may match, else only strong ones. */
export function tagsIn(list: string, mayBeWeak = false): readonly string[] {
  return [...list.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter(([, weak]) => weak === undefined || mayBeWeak)
    .map(([, , tag = '']) => tag);
}
