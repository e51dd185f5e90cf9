import { ApiError } from './api-error.ts';
import { type Connection, pause, type RequestOptions } from './connection.ts';
import type { operations, PlantChange } from './contract.ts';
import { EVENT_STREAM, NDJSON, readJson } from './json.ts';
import { linesOf } from './lines.ts';

type Query = NonNullable<operations['listPlantChanges']['parameters']['query']>;

/** Which changes to return: those with all of these properties. */
export interface ChangesQuery extends Omit<Query, 'after' | 'limit'>, RequestOptions {
  /** The cursor of the last change that you have, 0 for all that are kept, or -100 for the latest 100. */
  readonly after?: bigint | undefined;
}

/** Milliseconds until a stream of changes that has ended begins again. */
const PAUSE_MS = 1_000;

/** Milliseconds without a sign of life after which a stream has ended: the service gives one every 15 seconds. */
const SILENCE_MS = 45_000;

/** The changes of plants. */
export class Changes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the cursor of now: the changes after it are those to come. */
  async cursor(options: RequestOptions = {}): Promise<bigint> {
    return this.#connection.send('GET', '/plants/changes', options, ({ headers }) =>
      BigInt(headers.get('X-Next-After') ?? 0),
    );
  }

  /** Returns the changes after a cursor, since a time, or all that are kept, until now. @throws ApiError `ChangeNotKept` */
  async *read({ signal, ...query }: ChangesQuery = {}): AsyncGenerator<PlantChange, void> {
    const start = query.since === undefined ? { after: 0n } : {};
    const request = { query: { ...start, ...query }, accept: NDJSON, signal };
    const response = await this.#connection.send('GET', '/plants/changes', request, (begun) => begun);
    for await (const line of linesOf(response)) yield readJson(line) as PlantChange;
  }

  /**
   * Returns each change as it is made, without an end: those after a cursor, since a time, or from now on.
   *
   * Where a connection breaks off, it goes on after the last change, as long as that takes.
   *
   * @throws ApiError what waiting does not change: `ChangeNotKept`, or a token that is not valid any more.
   */
  async *follow({ after, signal, ...filter }: ChangesQuery = {}): AsyncGenerator<PlantChange, never> {
    for (let cursor = after; ; await pause(PAUSE_MS, signal)) {
      try {
        if (filter.since === undefined) cursor ??= await this.cursor({ signal });
        const request = { query: { ...filter, after: cursor }, accept: EVENT_STREAM, signal };
        const response = await this.#connection.send('GET', '/plants/changes', request, (begun) => begun);
        let reached = cursor;
        for await (const line of linesOf(response, SILENCE_MS)) {
          const [, field, value = ''] = /^(id|data): ?(.*)$/.exec(line) ?? [];
          if (field === 'id') reached = BigInt(value);
          // An event is complete at its empty line. Without a change, it tells how far the stream is.
          else if (line === '') cursor = reached;
          else if (field === 'data') {
            const change = readJson(value) as PlantChange;
            cursor = reached = change.cursor;
            yield change;
          }
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ApiError && !error.isTemporary) throw error;
      }
    }
  }
}
