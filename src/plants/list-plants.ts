import type { EntityManager } from 'typeorm';
import { INT64_MAX, INT64_MIN } from '../validation/is-int64.js';
import { nextPlants, type PlantFilter } from './next-plants.js';
import type { PlantRow } from './read-plants.js';

/** Which plants to list. */
interface ListFilter extends PlantFilter {
  readonly limit: number;
  readonly after?: bigint;
}

/** A part of a list. */
interface Page {
  readonly rows: readonly PlantRow[];
  /** The id after which to go on; undefined when there are no more plants. */
  readonly next: bigint | undefined;
}

/** Rows that one statement fetches at most: names may be as large as a body. */
const CHUNK_ROWS = 101;

/** Bytes of text after which a page ends before its limit. */
const PAGE_BYTES = 8_388_608;

/** Statements that find fewer than they were to, after which a page ends before its limit. */
const PAGE_WINDOWS = 20;

/**
 * The next plants in ascending id. A page has fewer than its limit, or none, where it would take long to find more: what it
 * costs depends neither on how many plants there are nor on how many come before.
 */
export async function listPlants(manager: EntityManager, filter: ListFilter): Promise<Page> {
  const { limit, after } = filter;
  const findNext = await nextPlants(manager, filter);
  const rows: PlantRow[] = [];
  let bytes = 0;
  let windows = 0;
  let least = after === undefined ? INT64_MIN : after + 1n;
  while (least <= INT64_MAX) {
    // One more than asked for tells whether there are more.
    const wanted = Math.min(limit + 1 - rows.length, CHUNK_ROWS);
    const found = await findNext(least, wanted);
    rows.push(...found.filter(({ matches }) => matches === 1));
    if (rows.length > limit) return pageOf(rows.slice(0, limit));
    const last = found.at(-1);
    if (last === undefined || (found.length < wanted && last.isLast === 0)) break;
    bytes += found.reduce((sum, { name, tag }) => sum + name.length + (tag?.length ?? 0), 0);
    windows += last.isLast;
    if (bytes >= PAGE_BYTES || windows === PAGE_WINDOWS) return { rows, next: BigInt(last.id) };
    least = BigInt(last.id) + 1n;
  }
  return { rows, next: undefined };
}

function pageOf(rows: readonly PlantRow[]): Page {
  const last = rows.at(-1);
  return { rows, next: last && BigInt(last.id) };
}
