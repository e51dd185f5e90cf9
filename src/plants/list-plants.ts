import type { EntityManager } from 'typeorm';
import { INT64_MAX, INT64_MIN } from '../validation/is-int64.js';
import { isWhole, nextPlants, type PlantFilter } from './next-plants.js';
import { findPlants, type PlantRow } from './read-plants.js';

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

/** Rows that one statement fetches at most. */
const CHUNK_ROWS = 101;

/** Bytes of texts after which a page ends before its limit: names may be as large as a body. */
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
    for (const row of found.filter(({ matches }) => matches === 1)) {
      if (rows.length === limit) return { rows, next: BigInt(rows.at(-1)?.id ?? row.id) };
      const whole = isWhole(row) ? row : await findLarge(manager, row.id, filter);
      if (whole === undefined) continue;
      rows.push(whole);
      bytes += Buffer.byteLength(whole.name) + Buffer.byteLength(whole.tag ?? '');
      if (bytes >= PAGE_BYTES) return { rows, next: BigInt(row.id) };
    }
    const last = found.at(-1);
    if (last === undefined || (found.length < wanted && last.isLast === 0)) break;
    windows += last.isLast;
    if (windows === PAGE_WINDOWS) return { rows, next: BigInt(last.id) };
    least = BigInt(last.id) + 1n;
  }
  return { rows, next: undefined };
}

/** A plant whose texts the list has left out, unless it has been deleted or changed meanwhile. */
async function findLarge(
  manager: EntityManager,
  id: string,
  { tag, name = '' }: PlantFilter,
): Promise<PlantRow | undefined> {
  const [row] = await findPlants(manager, [BigInt(id)]);
  const isWanted = row?.name.startsWith(name) === true && (tag === undefined || row.tag === tag);
  return isWanted ? row : undefined;
}
