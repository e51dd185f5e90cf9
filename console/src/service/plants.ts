import { Signal } from '@preact/signals';
import type { Count, operations, PlantPatch, StoredPlant } from '../../../clients/typescript/src/contract.ts';
import { writeJson } from '../exact-json.ts';
import { ask, nextPlace, probe, readJson, Refusal, refusalOf, send } from './connection.ts';

export type { PlantPatch, StoredPlant };

/** What a list shows: `ids`, or `search` and `tag`; all plants without any. */
export type PlantFilter = Readonly<Partial<Record<'ids' | 'search' | 'tag', string>>>;

export type PlantSort = NonNullable<NonNullable<operations['listPlants']['parameters']['query']>['sort']>;

export interface PlantPage {
  readonly plants: readonly StoredPlant[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: string | undefined;
  readonly address: string;
}

/** The type of each field of a plant in the contract, which has those that a team has added. */
export type PlantFields = Readonly<Record<string, { readonly type: string }>>;

/** A plant as it was read, by its entity tag. */
export interface PlantVersion {
  readonly plant: StoredPlant;
  readonly entityTag: string;
}

/** Tags that the lists of this page had, to be suggested. */
export const knownTags = new Signal<ReadonlySet<string>>(new Set());

/** The id that a text is, an int64; undefined when it is none. */
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
  // Ids are a page of their own.
  const query = filter.ids === undefined ? { ...filter, ...page } : filter;
  const response = await send('GET', 'plants', { query, signal });
  const plants = await readJson<StoredPlant[]>(response);
  const tags = new Set(plants.flatMap(({ tag }) => tag || []));
  if (!tags.isSubsetOf(knownTags.peek())) knownTags.value = knownTags.peek().union(tags);
  return { plants, next: nextPlace(response), address: response.url };
}

/** All plants of a filter, some at a time. They may change meanwhile. */
export async function* allPlants(filter: PlantFilter, signal: AbortSignal): AsyncGenerator<StoredPlant[]> {
  let after: string | undefined;
  do {
    const page: PlantPage = await listPlants(filter, signal, { after, limit: 1_000 });
    yield [...page.plants];
    after = page.next;
  } while (after !== undefined);
}

/** An id above all others; where none is left, one that hardly any plant has. */
export async function nextFreeId(signal: AbortSignal): Promise<bigint> {
  const [last] = (await listPlants({}, signal, { sort: '-id', limit: 1 })).plants;
  const next = last && last.id > 0n ? last.id + 1n : 1n;
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return BigInt.asIntN(64, next) === next ? next : ((BigInt(high) << 32n) | BigInt(low)) >> 11n;
}

/** Reads the fields of plants from the contract, the id first. */
export async function readFields(signal: AbortSignal): Promise<PlantFields> {
  const { components } = await ask<ContractJson>('GET', 'openapi.json', { signal });
  const { properties } = components.schemas.StoredPlant;
  return Object.assign({ id: properties['id'] }, properties);
}

/** Counts the plants of a filter. @throws Refusal when the service does not answer, or has no time for it now. */
export async function countPlants(filter: PlantFilter, signal: AbortSignal): Promise<number> {
  const response = await probe(`plants/count?${new URLSearchParams(filter).toString()}`, signal);
  if (!response?.ok) throw await refusalOf(response);
  return (await readJson<Count>(response)).count;
}

/** Reads a plant; undefined when there is none with this id. */
export async function readPlant(id: bigint, signal?: AbortSignal): Promise<PlantVersion | undefined> {
  try {
    return await versionOf(await send('GET', `plants/${id}`, { signal }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Creates a plant. A request that was sent again after its answer was lost finds its own plant, and that is fine.
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

/** Changes a plant that is as it was seen, or like this already. @throws Refusal 412 when it is not, 404 when it is gone. */
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

/** Deletes a plant that is as it was seen, or gone. @throws Refusal 412 when it is not. */
export async function deletePlant({ plant, entityTag }: PlantVersion): Promise<void> {
  try {
    await send('DELETE', `plants/${plant.id}`, { headers: { 'If-Match': entityTag } });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
  }
}

/** Does all operations or none, and returns the plants that are left. @throws Refusal 412 or 404 when one of them is not possible. */
export async function batchPlants(operations: readonly object[]): Promise<PlantVersion[]> {
  if (operations.length === 0) return [];
  const { results } = await ask<BatchJson>('POST', 'plants/batch', { body: { operations } });
  return results.flatMap(({ body, etag = '' }) => (body ? { plant: body, entityTag: etag } : []));
}

/** A plant with what a patch gives it. Fields that the console does not know stay. */
export function patched(plant: StoredPlant, patch: PlantPatch): StoredPlant {
  const members = Object.entries({ ...plant, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(members) as Record<string, unknown> as StoredPlant;
}

/** Whether two plants have the same content. */
export function isSame(one: StoredPlant, other: StoredPlant): boolean {
  return differencesOf(one, other).length === 0;
}

/** The fields in which two plants differ, with what each has there. */
export function differencesOf(one: StoredPlant, other: StoredPlant) {
  const [first, second] = [one, other].map((plant) => new Map<string, unknown>(Object.entries(plant)));
  return Object.keys({ ...one, ...other })
    .map((name) => ({ name, before: first?.get(name), after: second?.get(name) }))
    .filter(({ before, after }) => writeJson(before) !== writeJson(after));
}

/** Makes a plant what it shall be. A precondition fails also where a request is sent again whose answer was lost: it is that already. */
async function unlessDone(wanted: StoredPlant, write: () => Promise<Response>): Promise<StoredPlant> {
  try {
    return (await versionOf(await write())).plant;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 412) throw error;
    const current = await readPlant(wanted.id);
    // The service adds defaults to what is wanted, but no tag.
    const all = { tag: undefined, ...wanted };
    if (!current || differencesOf(current.plant, wanted).some(({ name }) => name in all)) throw error;
    return current.plant;
  }
}

async function versionOf(response: Response): Promise<PlantVersion> {
  const entityTag = response.headers.get('ETag') ?? '';
  return { plant: await readJson(response), entityTag };
}

interface BatchJson {
  readonly results: readonly { readonly body?: StoredPlant; readonly etag?: string }[];
}

interface ContractJson {
  readonly components: { readonly schemas: { readonly StoredPlant: { readonly properties: PlantFields } } };
}
