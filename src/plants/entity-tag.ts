import { hash } from 'node:crypto';

/** What an entity tag stands for: the fields of a plant that can change. */
interface Content {
  readonly name: string;
  readonly tag?: string | null | undefined;
}

/** Hexadecimal digits of an entity tag: 128 bits. */
const LENGTH = 32;

/** Whether a text has the form of an entity tag of this service. */
export const ENTITY_TAG = new RegExp(`^[0-9a-f]{${LENGTH}}$`);

/**
 * The entity tag of a plant, without its quotes: the beginning of the SHA-256 of its name and, behind U+0000, of its tag.
 * Equal tags mean equal plants, so it is a strong validator (RFC 9110, section 8.8.1), on every instance alike.
 */
export function entityTag({ name, tag }: Content): string {
  return hash('sha256', tag === undefined || tag === null ? name : `${name}\0${tag}`, 'hex').slice(0, LENGTH);
}

/**
 * The same in SQL, so that a statement can decide whether a plant is still the one that a client has seen. SQLite calls
 * `entityTag` itself, under the name `entity_tag`.
 *
 * On PostgreSQL all of it is immutable: a distributed engine lets no other function look at the row that is updated. That is
 * why the bytes of a text come from a cast, which takes backslashes for escapes, and not from `convert_to`.
 */
export const ENTITY_TAG_SQL = {
  sqlite: 'entity_tag(plants.name, plants.tag)',
  postgres: `substr(encode(sha256(${bytes('plants.name')} ||
    CASE WHEN plants.tag IS NULL THEN ''::bytea ELSE '\\x00'::bytea || ${bytes('plants.tag')} END), 'hex'), 1, ${LENGTH})`,
};

function bytes(column: string): string {
  return String.raw`replace(${column}, '\', '\\')::bytea`;
}
