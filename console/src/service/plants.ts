import { Signal } from '@preact/signals';
import type {
  Count,
  operations,
  PlantBatchResult,
  PlantPatch,
  StoredPlant,
} from '../../../clients/typescript/src/contract.ts';
import { parseJson, writeJson } from '../exact-json.ts';
import { ask, linesOf, nextPlace, probe, readJson, Refusal, refusalOf, send } from './connection.ts';

export type { PlantPatch, StoredPlant };

/** The filter of a list: `ids`, or `search` and `tag`. */
export type PlantFilter = Readonly<Partial<Record<'ids' | 'search' | 'tag', string>>>;

export type PlantSort = NonNullable<NonNullable<operations['listPlants']['parameters']['query']>['sort']>;

export interface PlantPage {
  readonly plants: readonly StoredPlant[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** When the service read it, by its own clock. */
  readonly readAt: Date;
}

/** The type of each field of a plant, from the contract: it includes fields added later. */
export type PlantFields = Readonly<Record<string, { readonly type: string }>>;

/** A plant with its entity tag. */
export interface PlantVersion {
  readonly plant: StoredPlant;
  readonly entityTag: string;
}

const LONG_ID = 1_000_000_000n;

/** Maximum characters of a tag in a filter. */
const LISTED_TAG = 63;

/** Tags seen in lists, to suggest. */
export const knownTags = new Signal<ReadonlySet<string>>(new Set());

/** Parses an int64 id; undefined if the text is none. */
export function parseId(text: string): bigint | undefined {
  if (!/^\s*[-−]?\d{1,19}\s*$/.test(text)) return undefined;
  const id = BigInt(text.trim().replace('−', '-'));
  return BigInt.asIntN(64, id) === id ? id : undefined;
}

/** Reads a page of the plants. */
export async function listPlants(
  filter: PlantFilter,
  signal: AbortSignal,
  page: { sort?: PlantSort | undefined; after?: string | undefined; limit: number },
): Promise<PlantPage> {
  // Lists by id have one page.
  const query = filter.ids === undefined ? { ...filter, ...page } : filter;
  const response = await send('GET', 'plants', { query, signal });
  const plants = await readJson<StoredPlant[]>(response);
  const tags = new Set(plants.flatMap(({ tag }) => tag || []));
  if (!tags.isSubsetOf(knownTags.peek())) knownTags.value = knownTags.peek().union(tags);
  return {
    plants,
    next: nextPlace(response),
    readAt: new Date(response.headers.get('Date') ?? 0),
  };
}

/** All plants of a filter, page by page, without a snapshot. */
export async function* allPlants(filter: PlantFilter, signal: AbortSignal): AsyncGenerator<StoredPlant[]> {
  let after: string | undefined;
  do {
    const page: PlantPage = await listPlants(filter, signal, { after, limit: 1_000 });
    yield [...page.plants];
    after = page.next;
  } while (after !== undefined);
}

/** All plants as lines of JSON, from one snapshot. */
export async function* exportedLines(signal: AbortSignal): AsyncGenerator<string[]> {
  yield* linesOf(await send('GET', 'plants/export', { signal }));
}

/** Counts the plants of each tag. @param onRead called with the number of plants read so far. */
export async function countTags(
  signal: AbortSignal,
  onRead: (plants: number) => void,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let read = 0;
  for await (const lines of exportedLines(signal)) {
    for (const line of lines) {
      const { tag } = JSON.parse(line) as { tag?: string };
      if (tag !== undefined) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    onRead((read += lines.length));
  }
  knownTags.value = new Set(counts.keys());
  return counts;
}

/** Whether a list can have this tag as its filter. */
export function isListed(tag: string): boolean {
  return tag !== '' && tag.length <= LISTED_TAG;
}

/** All plants of a tag, also of one that no filter accepts. */
export async function* plantsTagged(tag: string, signal: AbortSignal): AsyncGenerator<StoredPlant[]> {
  if (isListed(tag)) yield* allPlants({ tag }, signal);
  else
    for await (const lines of exportedLines(signal)) {
      const plants = lines.map((line) => parseJson(line) as StoredPlant);
      yield plants.filter((plant) => plant.tag === tag);
    }
}

/** The highest id plus one. After a long id: the lowest free id above the number of plants. */
export async function nextFreeId(signal: AbortSignal): Promise<bigint> {
  const [last] = (await listPlants({}, signal, { sort: '-id', limit: 1 })).plants;
  if (!last || last.id < LONG_ID) return last && last.id > 0n ? last.id + 1n : 1n;
  const count = await countPlants({}, signal);
  for (let start = count + 1; ; start += 100) {
    const ids = Array.from({ length: 100 }, (_, index) => BigInt(start + index));
    const taken = new Set(
      (await listPlants({ ids: ids.join() }, signal, { limit: 100 })).plants.map(({ id }) => id),
    );
    const free = ids.find((id) => !taken.has(id));
    if (free !== undefined) return free;
  }
}

/** Reads the fields of a plant from the contract, the id first. */
export async function readFields(signal: AbortSignal): Promise<PlantFields> {
  const { components } = await ask<ContractJson>('GET', 'openapi.json', { signal });
  const { properties } = components.schemas.StoredPlant;
  return Object.assign({ id: properties['id'] }, properties);
}

/** Counts the plants of a filter. @throws Refusal instead of a retry. */
export async function countPlants(filter: PlantFilter, signal: AbortSignal): Promise<number> {
  const response = await probe(`plants/count?${new URLSearchParams(filter).toString()}`, signal);
  if (!response?.ok) throw await refusalOf(response);
  return (await readJson<Count>(response)).count;
}

/** Reads a plant; undefined if it does not exist. */
export async function readPlant(id: bigint, signal?: AbortSignal): Promise<PlantVersion | undefined> {
  try {
    return await versionOf(await send('GET', `plants/${id}`, { signal }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Creates a plant. A retry after a lost response accepts the plant that the first attempt created.
 *
 * @throws Refusal 412 when the id belongs to another plant.
 */
export async function createPlant(
  { id, ...content }: StoredPlant,
  signal?: AbortSignal,
): Promise<StoredPlant> {
  const headers = { 'If-None-Match': '*' };
  return unlessDone({ id, ...content }, async () =>
    send('PUT', `plants/${id}`, { headers, body: content, signal }),
  );
}

/** Patches an unchanged plant. @throws Refusal 412 if it has changed otherwise, 404 if it is gone. */
export async function patchPlant(
  { plant, entityTag }: PlantVersion,
  patch: PlantPatch,
  signal?: AbortSignal,
): Promise<void> {
  const headers = { 'If-Match': entityTag };
  await unlessDone(patched(plant, patch), async () =>
    send('PATCH', `plants/${plant.id}`, { headers, body: patch, signal }),
  );
}

/** Deletes an unchanged plant, if it still exists. @throws Refusal 412 if it has changed. */
export async function deletePlant({ plant, entityTag }: PlantVersion): Promise<void> {
  try {
    await send('DELETE', `plants/${plant.id}`, { headers: { 'If-Match': entityTag } });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
  }
}

/** Does all operations or none, and returns the remaining plants. @throws Refusal 412 or 404 if one fails. */
export async function batchPlants(operations: readonly object[]): Promise<PlantVersion[]> {
  if (operations.length === 0) return [];
  const { results } = await ask<PlantBatchResult>('POST', 'plants/batch', { body: { operations } });
  return results.flatMap(({ body, etag = '' }) => (body ? { plant: body, entityTag: etag } : []));
}

/** Applies a patch. Unknown fields stay. */
export function patched(plant: StoredPlant, patch: PlantPatch): StoredPlant {
  const members = Object.entries({ ...plant, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(members) as Record<string, unknown> as StoredPlant;
}

export function isSame(one: StoredPlant, other: StoredPlant): boolean {
  return differencesOf(one, other).length === 0;
}

/** The fields in which two plants differ, with both values. */
export function differencesOf(one: StoredPlant, other: StoredPlant) {
  const [first, second] = [one, other].map((plant) => new Map<string, unknown>(Object.entries(plant)));
  return Object.keys({ ...one, ...other })
    .map((name) => ({ name, before: first?.get(name), after: second?.get(name) }))
    .filter(({ before, after }) => writeJson(before) !== writeJson(after));
}

/** Writes a plant. If a retry after a lost response fails with 412, the plant may already have the wanted content. */
async function unlessDone(wanted: StoredPlant, write: () => Promise<Response>): Promise<StoredPlant> {
  try {
    return (await versionOf(await write())).plant;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 412) throw error;
    const current = await readPlant(wanted.id);
    // The service adds defaults to other fields, but no tag.
    const all = { tag: undefined, ...wanted };
    if (!current || differencesOf(current.plant, wanted).some(({ name }) => name in all)) throw error;
    return current.plant;
  }
}

async function versionOf(response: Response): Promise<PlantVersion> {
  const entityTag = response.headers.get('ETag') ?? '';
  return { plant: await readJson(response), entityTag };
}

interface ContractJson {
  readonly components: { readonly schemas: { readonly StoredPlant: { readonly properties: PlantFields } } };
}
