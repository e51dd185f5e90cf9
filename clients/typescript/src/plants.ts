import { ApiError, ErrorValue } from './api-error.ts';
import type { Conditions, Connection, RequestOptions } from './connection.ts';
import type {
  Count,
  ImportResult,
  NewPlant,
  operations,
  Plant,
  PlantBatch,
  PlantBatchResult,
  PlantPatch,
  PlantResult,
  StoredPlant,
} from './contract.ts';
import { JSON_TYPE, MERGE_PATCH, NDJSON, readJson, writeJson } from './json.ts';
import { linesOf } from './lines.ts';

type Query = NonNullable<operations['listPlants']['parameters']['query']>;

/** What a list shows, and in which order. */
export type PlantFilter = Omit<Query, 'after' | 'limit' | 'total'>;

export type PageQuery = Query & RequestOptions;

export interface PlantPage {
  readonly plants: StoredPlant[];
  /** The `after` of the next page; undefined on the last. */
  readonly next: string | undefined;
  /** How many plants all pages have, if `total` asked for that. */
  readonly total: number | undefined;
}

/** A plant as it was read or written. */
export interface PlantVersion {
  readonly plant: StoredPlant;
  /** Its entity tag, for `ifMatch`. */
  readonly etag: string;
}

export interface PutPlantResult extends PlantVersion {
  /** Whether the plant was not there before. */
  readonly isNew: boolean;
}

export type PlantOperation = PlantBatch['operations'][number];

/** What became of a plant of an import. */
export interface PlantImportResult extends Omit<ImportResult, 'line'> {
  /** The number of the plant, from 1. */
  readonly line: number;
}

/** How much of an import one request has. */
const PART = { plants: 1_000, characters: 262_144 };

/** The plants of the store. */
export class Plants {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Creates a plant. It is sent once: `put` with `ifNoneMatch` also creates, and can be repeated. @throws ApiError `IdTaken` */
  async create(plant: NewPlant, options: RequestOptions = {}): Promise<Plant> {
    const request = { ...options, contentType: JSON_TYPE, body: writeJson(plant) };
    return this.#connection.send('POST', '/plants', request, bodyOf<Plant>);
  }

  /** Reads a plant. @throws ApiError `UnknownResource` */
  async get(id: bigint, options: RequestOptions = {}): Promise<PlantVersion> {
    return this.#connection.send('GET', `/plants/${id}`, options, versionOf);
  }

  /**
   * Creates or replaces a plant: a field that it does not have is removed.
   *
   * @param options `ifNoneMatch: '*'` only creates. With a condition, the request is sent once.
   * @throws ApiError `PreconditionFailed`
   */
  async put(
    { id, ...content }: NewPlant,
    options: Conditions & { readonly ifNoneMatch?: '*' | undefined } = {},
  ): Promise<PutPlantResult> {
    const request = { ...options, contentType: JSON_TYPE, body: writeJson(content) };
    return this.#connection.send('PUT', `/plants/${id}`, request, async (response) => ({
      ...(await versionOf(response)),
      isNew: response.status === 201,
    }));
  }

  /** Changes some fields of a plant; `null` removes one. @throws ApiError `UnknownResource`, `PreconditionFailed` */
  async patch(id: bigint, patch: PlantPatch, options: Conditions = {}): Promise<PlantVersion> {
    const request = { ...options, contentType: MERGE_PATCH, body: writeJson(patch) };
    return this.#connection.send('PATCH', `/plants/${id}`, request, versionOf);
  }

  /** Deletes a plant. A repeated attempt that finds none has succeeded. @throws ApiError `UnknownResource`, `PreconditionFailed` */
  async delete(id: bigint, options: Conditions = {}): Promise<void> {
    try {
      await this.#connection.send('DELETE', `/plants/${id}`, options, () => undefined);
    } catch (error) {
      const isGone = error instanceof ApiError && error.error === ErrorValue.UnknownResource;
      if (!isGone || error.attempts === 1) throw error;
    }
  }

  /** Returns the plants of all pages, in the order of the list. */
  async *list(filter: PlantFilter & RequestOptions = {}): AsyncGenerator<StoredPlant, void> {
    // Ids are a page of their own.
    const limit = filter.ids === undefined ? { limit: 1_000 } : {};
    for await (const { plants } of this.pages({ ...filter, ...limit })) yield* plants;
  }

  /** Returns the pages of a list, from `after` on. */
  async *pages(query: PageQuery = {}): AsyncGenerator<PlantPage, void> {
    let page = await this.page(query);
    yield page;
    while (page.next !== undefined) {
      page = await this.page({ ...query, after: page.next });
      yield page;
    }
  }

  /** Reads one page of a list. */
  async page({ signal, ...query }: PageQuery = {}): Promise<PlantPage> {
    return this.#connection.send('GET', '/plants', { query, signal }, async (response) => {
      const total = response.headers.get('X-Total-Count');
      return {
        plants: await bodyOf<StoredPlant[]>(response),
        next: response.headers.get('X-Next-After') ?? undefined,
        total: total === null ? undefined : Number(total),
      };
    });
  }

  /** Counts the plants that a list shows. */
  async count({
    signal,
    ...query
  }: Pick<PlantFilter, 'name' | 'search' | 'tag'> & RequestOptions = {}): Promise<number> {
    const { count } = await this.#connection.send('GET', '/plants/count', { query, signal }, bodyOf<Count>);
    return count;
  }

  /** Does up to 1,000 operations in their order, all or none, and returns the result of each. It is sent once. */
  async batch(operations: readonly PlantOperation[], options: RequestOptions = {}): Promise<PlantResult[]> {
    const request = { ...options, contentType: JSON_TYPE, body: writeJson({ operations }) };
    const { results } = await this.#connection.send(
      'POST',
      '/plants/batch',
      request,
      bodyOf<PlantBatchResult>,
    );
    return results;
  }

  /**
   * Creates any number of plants, and returns what became of each, in their order.
   *
   * Takes the next plants when the results of those before have been taken. A plant that is there already, exactly like this,
   * is no failure, so that an import may be repeated, and goes on by itself where a connection breaks off.
   */
  async *import(
    plants: Iterable<NewPlant> | AsyncIterable<NewPlant>,
    options: RequestOptions = {},
  ): AsyncGenerator<PlantImportResult, void> {
    let before = 0;
    for await (const lines of partsOf(plants)) {
      const request = {
        ...options,
        accept: NDJSON,
        contentType: NDJSON,
        body: lines.join(''),
        isRepeatable: true,
      };
      const results = await this.#connection.send('POST', '/plants/import', request, async (response) => {
        const read: ImportResult[] = [];
        for await (const line of linesOf(response)) read.push(readJson(line) as ImportResult);
        const failure = read.find(({ status }) => status === 503);
        const { status = 0, error = 0, message = '' } = failure ?? {};
        if (failure) throw new ApiError(error, message, { status, headers: response.headers });
        if (read.length < lines.length) throw new TypeError('The results of an import have broken off.');
        return read;
      });
      for (const result of results) yield { ...result, line: before + Number(result.line) };
      before += lines.length;
    }
  }

  /** Returns every plant as it is at the start, in ascending id. */
  async *export(options: RequestOptions = {}): AsyncGenerator<StoredPlant, void> {
    const request = { ...options, accept: NDJSON };
    const response = await this.#connection.send('GET', '/plants/export', request, (begun) => begun);
    for await (const line of linesOf(response)) yield readJson(line) as StoredPlant;
  }
}

async function bodyOf<Body>(response: Response): Promise<Body> {
  return readJson(await response.text()) as Body;
}

async function versionOf(response: Response): Promise<PlantVersion> {
  return { plant: await bodyOf<StoredPlant>(response), etag: response.headers.get('ETag') ?? '' };
}

/** Plants as lines of NDJSON, as many at a time as one request has. */
async function* partsOf(
  plants: Iterable<NewPlant> | AsyncIterable<NewPlant>,
): AsyncGenerator<string[], void> {
  let lines: string[] = [];
  let characters = 0;
  for await (const plant of plants) {
    const line = `${writeJson(plant)}\n`;
    lines.push(line);
    characters += line.length;
    if (lines.length < PART.plants && characters < PART.characters) continue;
    yield lines;
    lines = [];
    characters = 0;
  }
  if (lines.length > 0) yield lines;
}
