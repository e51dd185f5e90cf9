import { Refusal } from '../../service/connection.ts';
import {
  listPlants,
  parseId,
  type PlantFilter,
  type PlantPage,
  type PlantSort,
  type StoredPlant,
} from '../../service/plants.ts';

/** Plants of a page. */
const PAGE_SIZE = 50;

/** Plants that are read at a time where nobody looks at them. */
const PART_SIZE = 500;

/** What the address asks for: what has been typed, the order, and where the page begins. */
export type PlantQuery = Readonly<Partial<Record<'search' | 'tag' | 'sort' | 'after', string>>>;

/** A page, with how it was found. */
export interface FoundPlants extends PlantPage {
  readonly filter: PlantFilter;
  readonly sort: PlantSort | undefined;
}

/** Whether the service searches words, until it has refused to. */
let searchesWords = true;

/** Finds the plants for what has been typed: an integer is an id, words are searched, all else is the beginning of a name. */
export async function findPlants(query: PlantQuery, signal: AbortSignal): Promise<FoundPlants> {
  const filter = filterOf(query);
  const sort = ordersOf(filter).find((order) => order === query.sort) ?? ordersOf(filter)[0];
  try {
    return {
      ...(await listPlants(filter, signal, { sort, after: query.after, limit: PAGE_SIZE })),
      filter,
      sort,
    };
  } catch (error) {
    // Words that no service could search are not sent: it has no index of them.
    if (filter.search === undefined || !(error instanceof Refusal) || error.status !== 400) throw error;
    searchesWords = false;
    return findPlants(query, signal);
  }
}

/** All plants of a filter. They may change meanwhile. */
export async function* allPlants(filter: PlantFilter, signal: AbortSignal): AsyncGenerator<StoredPlant> {
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await listPlants(filter, signal, { after, limit: PART_SIZE });
    yield* page.plants;
    after = page.next;
  }
}

/** Whether words are not searched because the service has no index of them. */
export function lacksSearch({ name }: PlantFilter): boolean {
  return name !== undefined && !searchesWords;
}

/** The orders that a list can have: each is an index of the service. The first is the one without another wish. */
export function ordersOf({ ids, search, name, tag }: PlantFilter): readonly PlantSort[] {
  if (ids !== undefined || search !== undefined) return [];
  return name === undefined && tag === undefined ? ['id', '-id', 'name', '-name'] : ['name', '-name'];
}

function filterOf({ search = '', tag }: PlantQuery): PlantFilter {
  const words = search.trim();
  // The service combines only the beginning of a name with a tag.
  if (tag) return { ...(search && { name: search }), tag };
  const id = parseId(words);
  if (id !== undefined) return { ids: String(id) };
  if (searchesWords && areWords(words)) return { search: words };
  return search ? { name: search } : {};
}

/** Whether the service can search for a text: it has an index of three characters in a row. */
function areWords(text: string): boolean {
  const words = text.split(/\s+/).map((word) => Array.from(word).length);
  return words.length <= 8 && words.every((length) => length >= 3 && length <= 64);
}
