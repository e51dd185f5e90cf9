import { hash } from 'node:crypto';
import { HttpStatus } from '@nestjs/common';
import type { Response } from 'express';
import { stringifyExactJson } from '../../http/body/exact-json.js';
import { preconditionFailed } from '../resource-errors.js';
import { isKnown, isWanted } from './preconditions.js';

/** Hexadecimal digits of an entity tag: 128 bits. */
const LENGTH = 32;

/**
 * The entity tag of a representation, without its quotes: the beginning of the SHA-256 of its JSON.
 *
 * Equal tags mean equal representations, so it is a strong validator (RFC 9110, section 8.8.1), on every instance alike.
 */
export function entityTag(representation: object): string {
  return hash('sha256', stringifyExactJson(representation), 'hex').slice(0, LENGTH);
}

/**
 * What a handler returns to answer a resource that is read, with its `ETag`: nothing, and 304, when the client knows it already.
 *
 * @throws ApiException 41200 when it is not one that the client wants.
 */
export function answerRead<Representation extends object>(
  response: Response,
  representation: Representation,
): Representation | undefined {
  const tag = entityTag(representation);
  if (!isWanted(response.req, tag)) throw preconditionFailed();
  // Whoever keeps the resource asks whether it is still the same, with a token.
  response.setHeader('Cache-Control', 'private, no-cache').setHeader('ETag', `"${tag}"`);
  if (!isKnown(response.req, tag)) return representation;
  response.status(HttpStatus.NOT_MODIFIED);
  return undefined;
}

/**
 * What a handler returns to answer a resource that is written, with its `ETag`: not when it ignored a part of a replacement that the
 * client would take for stored (RFC 9110, section 9.3.4).
 */
export function answerWrite<Representation extends object>(
  response: Response,
  representation: Representation,
): Representation {
  const { method, body } = response.req as { method: string; body: object };
  if (method !== 'PUT' || isWhole(body, representation))
    response.setHeader('ETag', `"${entityTag(representation)}"`);
  return representation;
}

/** Whether every field of a body is stored as the body has it. */
function isWhole(body: object, representation: object): boolean {
  const stored = new Map<string, unknown>(Object.entries(representation));
  const isStored = ([name, value]: [string, unknown]) =>
    stored.has(name) && stringifyExactJson(stored.get(name)) === stringifyExactJson(value);
  return Object.entries(body).every(isStored);
}
