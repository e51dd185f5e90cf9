import { Signal } from '@preact/signals';
import { keptPageSize, PAGE_SIZE_KEY } from '../../service/first-page.ts';
import {
  listPlants,
  parseId,
  type PlantFilter,
  type PlantPage,
  type PlantSort,
  type StoredPlant,
} from '../../service/plants.ts';

/** How many plants a page has. */
export const pageSize = new Signal(keptPageSize());

pageSize.subscribe((size) => localStorage.setItem(PAGE_SIZE_KEY, String(size)));

/** What the address asks for: what has been typed, the order, and where the page begins. */
export type PlantQuery = Readonly<Partial<Record<'search' | 'tag' | 'sort' | 'after', string>>>;

/** A page, with how it was found. */
export interface FoundPlants extends PlantPage {
  readonly filter: PlantFilter;
  readonly sort: PlantSort | undefined;
}

/** Finds the plants for what has been typed: an integer is an id, all else is words. */
export async function findPlants(query: PlantQuery, signal: AbortSignal): Promise<FoundPlants> {
  const filter = filterOf(query);
  const sort = ordersOf(filter).find((order) => order === query.sort) ?? ordersOf(filter)[0];
  const size = pageSize.peek();
  const plants: StoredPlant[] = [];
  const read = async (after: string | undefined) => {
    const page = await listPlants(filter, signal, { sort, after, limit: size - plants.length });
    plants.push(...page.plants);
    return page;
  };
  const { address, ...first } = await read(query.after);
  let { next } = first;
  // A page of a search may have fewer, and go on.
  while (next !== undefined && plants.length < size) ({ next } = await read(next));
  return { plants, next, address, filter, sort };
}

/** The orders that a list can have. The first is the one without another wish. */
export function ordersOf({ ids, tag }: PlantFilter): readonly PlantSort[] {
  if (ids !== undefined) return [];
  return tag === undefined ? ['id', '-id', 'name', '-name'] : ['name', '-name'];
}

function filterOf({ search = '', tag }: PlantQuery): PlantFilter {
  const words = search.trim();
  const id = parseId(words);
  if (!tag && id !== undefined) return { ids: String(id) };
  return { ...(words && { search: words }), ...(tag && { tag }) };
}
