import type { EntityManager } from 'typeorm';
import { INT64_MAX } from '../validation/is-int64.js';

/** Characters of names and tags that the indexes hold (migration IndexPlants). */
export const INDEXED = 64;

const GREATEST = '\u{10FFFF}';

/** Writes a statement about plants as its database wants it, and collects its parameters. */
export class PlantQuery {
  private readonly parameters: unknown[] = [];
  private readonly isPostgres: boolean;

  constructor(private readonly manager: EntityManager) {
    this.isPostgres = manager.dataSource.options.type === 'postgres';
  }

  async run<Row>(sql: string): Promise<Row[]> {
    return this.manager.query<Row[]>(sql, this.parameters);
  }

  /** What the index of names is sorted by. */
  get nameKey(): string {
    return `substr(name, 1, ${INDEXED})${this.byteOrder}`;
  }

  value(parameter: unknown): string {
    this.parameters.push(parameter);
    return this.isPostgres ? `$${this.parameters.length}` : '?';
  }

  /** As text, because a driver would round it; and cast, because SQLite puts every text behind every integer. */
  integer(parameter: bigint): string {
    return `CAST(${this.value(String(parameter))} AS BIGINT)`;
  }

  /**
   * Plants between two ids, those with a tag as far as the index knows tags, in ascending id. Of a tag PostgreSQL gets a
   * range, in whose order only that index has them: with an equation it may walk through all ids, if it takes the tag for
   * a frequent one.
   */
  idsInOrder(least: bigint, tag: string | undefined, most = String(INT64_MAX)): string {
    if (tag === undefined) return `id >= ${this.integer(least)} AND id <= ${most} ORDER BY plants.id`;
    const key = `substr(tag, 1, ${INDEXED})${this.byteOrder}`;
    const sought = () => `substr(${this.text(tag)}, 1, ${INDEXED})`;
    const range = this.isPostgres
      ? `(${key}, id) >= (${sought()}, ${this.integer(least)}) AND (${key}, id) <= (${sought()}, ${most}) ORDER BY ${key},`
      : `${key} = ${sought()} AND id >= ${this.integer(least)} AND id <= ${most} ORDER BY`;
    return `tag IS NOT NULL AND ${range} plants.id`;
  }

  /** Plants whose names begin like this, as far as the index knows names. */
  nameKeyBegins(prefix: string): string {
    const begin = Array.from(prefix).slice(0, INDEXED);
    return `${this.nameKey} >= ${this.text(begin.join(''))} AND ${this.nameKey} < ${this.text(successor(begin))}`;
  }

  /** Plants whose names begin like this and, if a tag is given, that have it. */
  matches(prefix: string, tag: string | undefined): string {
    const begins = `substr(name, 1, length(${this.text(prefix)})) = ${this.text(prefix)}`;
    return tag === undefined ? begins : `${begins} AND tag = ${this.text(tag)}`;
  }

  /** SQLite compares texts byte by byte anyway. */
  private get byteOrder(): string {
    return this.isPostgres ? ' COLLATE "C"' : '';
  }

  /** Not cast on SQLite, which would convert what it compares and could not look it up in an index of expressions. */
  private text(parameter: string): string {
    const place = this.value(parameter);
    return this.isPostgres ? `CAST(${place} AS TEXT)` : place;
  }
}

/** A text that is greater than every one of 64 characters that begins like this, and not greater than any other. */
function successor(characters: readonly string[]): string {
  const last = characters.findLastIndex((character) => character !== GREATEST);
  if (last === -1) return GREATEST.repeat(INDEXED + 1);
  const next = (characters[last]?.codePointAt(0) ?? 0) + 1;
  // Behind U+D7FF come the surrogates, which are no characters.
  return characters.slice(0, last).join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
}
