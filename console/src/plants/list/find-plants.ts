import { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { feed, type Feed } from '../../service/changes.ts';
import {
  isSame,
  listPlants,
  parseId,
  type PlantFilter,
  type PlantPage,
  type PlantSort,
  type StoredPlant,
} from '../../service/plants.ts';

const PAGE_SIZE_KEY = 'plant-store-page-size';

export const PAGE_SIZES: readonly number[] = [25, 50, 100, 200];

/** Plants per page, for all tabs. */
export const pageSize = new Signal(
  PAGE_SIZES.find((size) => String(size) === localStorage.getItem(PAGE_SIZE_KEY)) ?? 50,
);

pageSize.subscribe((size) => localStorage.setItem(PAGE_SIZE_KEY, String(size)));

/** How far the clocks of the instances of a service may be apart. */
const CLOCKS_MS = 5_000;

/** The parameters of the address: search, order, and cursor. */
export type PlantQuery = Readonly<Partial<Record<'search' | 'tag' | 'sort' | 'after', string>>>;

/** A page, with the filter and order that found it. */
export interface FoundPlants extends PlantPage {
  readonly filter: PlantFilter;
  readonly sort: PlantSort | undefined;
  readonly known: Feed | undefined;
}

/** Finds plants: an integer is an id, anything else is text. */
export async function findPlants(query: PlantQuery, signal: AbortSignal): Promise<FoundPlants> {
  const known = feed.peek();
  const filter = filterOf(query);
  const sort = ordersOf(filter).find((order) => order === query.sort) ?? ordersOf(filter)[0];
  const size = pageSize.peek();
  const plants: StoredPlant[] = [];
  const read = async (after: string | undefined) => {
    const page = await listPlants(filter, signal, { sort, after, limit: size - plants.length });
    plants.push(...page.plants);
    return page;
  };
  const { readAt, ...first } = await read(query.after);
  let { next } = first;
  // A page of a search may be short without being the last.
  while (next !== undefined && plants.length < size) ({ next } = await read(next));
  return { plants, next, readAt, filter, sort, known };
}

/** The orders of a list, the default first. */
export function ordersOf({ ids, tag }: PlantFilter): readonly PlantSort[] {
  if (ids !== undefined) return [];
  return tag === undefined ? ['id', '-id', 'name', '-name'] : ['name', '-name'];
}

/** The filter of a search. */
export function filterOf({ search = '', tag }: PlantQuery): PlantFilter {
  const words = search.trim();
  const id = parseId(words);
  if (!tag && id !== undefined) return { ids: String(id) };
  return { ...(words && { search: words }), ...(tag && { tag }) };
}

/** Counts the shown plants that changed elsewhere, live or when the user returns to the page. */
export function useChangesElsewhere(
  page: FoundPlants | undefined,
  read: (signal: AbortSignal) => Promise<FoundPlants>,
): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    setCount(0);
    if (page === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const stop = feed.subscribe((now) => {
      // With CHANGES_KEPT=0, every return to the page gets a 410.
      if (now === page.known || (now?.failure && now.failure.status !== 410)) return;
      // The first changes that the page gets are mostly older than the page.
      if (!page.known && now && !now.failure && now.changes.every(({ at }) => isBefore(at, page))) return;
      // Only the service knows whether a changed plant belongs to the list.
      read(signal).then(
        ({ plants }) => signal.aborted || setCount(countChanges(page.plants, plants)),
        () => undefined,
      );
    });
    return () => {
      stop();
      controller.abort();
    };
  }, [page]);
  return count;
}

function isBefore(at: string, { readAt }: PlantPage): boolean {
  return Date.parse(at) < readAt.getTime() - CLOCKS_MS;
}

function countChanges(before: readonly StoredPlant[], now: readonly StoredPlant[]): number {
  const known = new Map(before.map((plant) => [plant.id, plant]));
  const kept = now.filter(({ id }) => known.has(id));
  const changed = kept.filter((plant) => !isSame(plant, known.get(plant.id) ?? plant));
  return changed.length + (before.length - kept.length) + (now.length - kept.length);
}
