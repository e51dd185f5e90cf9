import type { EntityManager } from 'typeorm';
import { INT64_MAX, INT64_MIN } from '../validation/is-int64.js';
import type { PlantRow } from './read-plants.js';

/** Which plants to list. */
interface Filter {
  readonly limit: number;
  readonly after?: bigint;
  readonly tag?: string;
  /** What the name begins with. */
  readonly name?: string;
}

/** Rows that one query fetches at most: names may be as large as a body. */
const CHUNK_ROWS = 101;

/** Bytes of text after which a page ends before its limit. */
const PAGE_BYTES = 8_388_608;

/** Characters of names and tags that the indexes hold (migration IndexPlants). */
const INDEXED = 64;

/** Plants that names lead to at most; of more, so many are among the next ids that those are looked through instead. */
const RARE = 1000;

/** The next plants in ascending id, and whether there are more. The cost does not depend on how many come before. */
export async function listPlants(
  manager: EntityManager,
  filter: Filter,
): Promise<{ rows: PlantRow[]; hasMore: boolean }> {
  const isRare = await hasRareName(manager, filter);
  const rows: PlantRow[] = [];
  let bytes = 0;
  let least = filter.after === undefined ? INT64_MIN : filter.after + 1n;
  // One more than asked for tells whether there are more.
  while (rows.length <= filter.limit && least <= INT64_MAX) {
    if (bytes >= PAGE_BYTES) return { rows, hasMore: true };
    const wanted = Math.min(filter.limit + 1 - rows.length, CHUNK_ROWS);
    const chunk = await nextRows(manager, filter, least, wanted, isRare);
    rows.push(...chunk);
    const last = chunk.at(-1);
    if (last === undefined || chunk.length < wanted) break;
    bytes += chunk.reduce((sum, { name, tag }) => sum + name.length + (tag?.length ?? 0), 0);
    least = BigInt(last.id) + 1n;
  }
  return { rows: rows.slice(0, filter.limit), hasMore: rows.length > filter.limit };
}

/**
 * Whether SQLite had better look for names than for ids. It keeps no statistics and cannot know; PostgreSQL does.
 */
async function hasRareName(manager: EntityManager, { name }: Filter): Promise<boolean> {
  if (!name || manager.dataSource.options.type === 'postgres') return false;
  const query = new Query('sqlite');
  const [{ found } = { found: 0 }] = await manager.query<{ found: number }[]>(
    `SELECT count(*) AS found FROM (SELECT 1 FROM plants WHERE ${nameRange(query, name)} LIMIT ${RARE + 1})`,
    query.parameters,
  );
  return found <= RARE;
}

async function nextRows(
  manager: EntityManager,
  { tag, name }: Filter,
  least: bigint,
  limit: number,
  isRare: boolean,
): Promise<PlantRow[]> {
  const database = manager.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
  const query = new Query(database);
  // The plus keeps SQLite from going by id, and the range from being left out.
  const id = isRare ? '+plants.id' : 'plants.id';
  const conditions = [`${id} >= ${query.integer(least)}`];
  if (tag !== undefined) {
    conditions.push(`substr(tag, 1, ${INDEXED}) = substr(${query.text(tag)}, 1, ${INDEXED})`);
    conditions.push(`tag = ${query.text(tag)}`);
  }
  if (name) {
    if (isRare || database === 'postgres') conditions.push(nameRange(query, name));
    conditions.push(`substr(name, 1, ${Array.from(name).length}) = ${query.text(name)}`);
  }
  return manager.query<PlantRow[]>(
    `SELECT CAST(id AS TEXT) AS id, name, tag FROM plants WHERE ${conditions.join(' AND ')}
     ORDER BY ${id} LIMIT ${query.value(limit)}`,
    query.parameters,
  );
}

/** Names that begin like this, as far as the index knows them. */
function nameRange(query: Query, prefix: string): string {
  const begin = Array.from(prefix).slice(0, INDEXED);
  const key = `substr(name, 1, ${INDEXED})${query.byteOrder}`;
  const end = successor(begin);
  const range = `${key} >= ${query.text(begin.join(''))}`;
  return end === undefined ? range : `${range} AND ${key} < ${query.text(end)}`;
}

/** The least text that is greater than every text that begins like this; undefined when there is none. */
function successor(characters: readonly string[]): string | undefined {
  const last = characters.findLastIndex((character) => character !== '\u{10FFFF}');
  if (last === -1) return undefined;
  const next = (characters[last]?.codePointAt(0) ?? 0) + 1;
  // Behind U+D7FF come the surrogates, which are no characters.
  return characters.slice(0, last).join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
}

/** Collects the parameters of a statement, and writes their places as its database wants them. */
class Query {
  readonly parameters: unknown[] = [];

  constructor(private readonly database: 'sqlite' | 'postgres') {}

  /** SQLite compares texts byte by byte anyway. */
  get byteOrder(): string {
    return this.database === 'postgres' ? ' COLLATE "C"' : '';
  }

  value(parameter: unknown): string {
    this.parameters.push(parameter);
    return this.database === 'postgres' ? `$${this.parameters.length}` : '?';
  }

  /** As text, because a driver would round it; and cast, because SQLite puts every text behind every integer. */
  integer(parameter: bigint): string {
    return `CAST(${this.value(String(parameter))} AS BIGINT)`;
  }

  text(parameter: string): string {
    return `CAST(${this.value(parameter)} AS TEXT)`;
  }
}
