import { hash } from 'node:crypto';
import { stringifyExactJson } from '../../http/body/exact-json.js';

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
