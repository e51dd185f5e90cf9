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

/** Bytes of JSON that a page has at most, unless a single plant has more: names may be as large as a body. */
const PAGE_BYTES = 1_048_576;

/** Bytes of large plants that are looked at for a page at most. */
const LOOK_BYTES = 8 * PAGE_BYTES;

/** A character that is longer in JSON than in UTF-8. */
const ESCAPED = /[^ !#-[\]-\uffff]/;

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
  let looked = 0;
  let windows = 0;
  let least = after === undefined ? INT64_MIN : after + 1n;
  while (least <= INT64_MAX) {
    // One more than asked for tells whether there are more.
    const wanted = Math.min(limit + 1 - rows.length, CHUNK_ROWS);
    const found = await findNext(least, wanted);
    for (const row of found.filter(({ matches }) => matches === 1)) {
      if (rows.length === limit) return { rows, next: BigInt(rows.at(-1)?.id ?? row.id) };
      if (looked > LOOK_BYTES) return { rows, next: BigInt(row.id) - 1n };
      const whole = isWhole(row) ? row : await find(manager, row.id);
      if (whole === undefined) continue;
      const size = jsonBytes(whole.name) + jsonBytes(whole.tag ?? '');
      if (!isWhole(row)) looked += size;
      if (!isWhole(row) && !isWanted(whole, filter)) continue;
      if (rows.length > 0 && bytes + size > PAGE_BYTES)
        return { rows, next: BigInt(rows.at(-1)?.id ?? row.id) };
      rows.push(whole);
      bytes += size;
    }
    const last = found.at(-1);
    if (last === undefined || (found.length < wanted && last.isLast === 0)) break;
    windows += last.isLast;
    if (windows === PAGE_WINDOWS) return { rows, next: BigInt(last.id) };
    least = BigInt(last.id) + 1n;
  }
  return { rows, next: undefined };
}

/** A plant whose texts the list has left out, unless it has been deleted meanwhile. */
async function find(manager: EntityManager, id: string): Promise<PlantRow | undefined> {
  const [row] = await findPlants(manager, [BigInt(id)]);
  return row;
}

function isWanted(row: PlantRow, { tag, name = '' }: PlantFilter): boolean {
  return row.name.startsWith(name) && (tag === undefined || row.tag === tag);
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(ESCAPED.test(text) ? JSON.stringify(text) : text);
}
