import { setTimeout as sleep } from 'node:timers/promises';
import { quoteLargeIntegers, writeJson } from './exact-json.ts';
import { type Client, createClient } from './generated/client/index.ts';
import {
  listPlantChanges,
  listPlants,
  type ListPlantsData,
  type PlantChange,
  type StoredPlant,
} from './generated/index.ts';
import { listPlantChangesResponseTransformer } from './generated/transformers.gen.ts';

/** A client of the plant store at `baseUrl` that keeps every digit of an id. */
export function plantStore(baseUrl: string, token: string): Client {
  return createClient({ baseUrl, auth: token, bodySerializer: writeJson, fetch: fetchExactly });
}

/** All the plants that a list shows, page by page, in its order. */
export async function* allPlants(
  client: Client,
  query: ListPlantsData['query'] = {},
): AsyncGenerator<StoredPlant> {
  let page: typeof query | undefined = query;
  while (page !== undefined) {
    const { data, response } = await listPlants({ client, query: page, throwOnError: true });
    yield* data;
    const after = nextAfter(response.headers.get('Link'));
    page = after === undefined ? undefined : { ...query, after };
  }
}

/** The changes after a cursor, or from now on, as they come. It goes on where a connection has broken off. */
export async function* followPlants(client: Client, after?: string): AsyncGenerator<PlantChange> {
  const { baseUrl, auth } = client.getConfig();
  const headers = { Authorization: `Bearer ${String(auth)}`, Accept: 'text/event-stream' };
  const now = async () => (await listPlantChanges({ client, throwOnError: true })).response.headers;
  let cursor = after ?? nextAfter((await now()).get('Link'));
  for (; ; await sleep(1_000)) {
    const response = await fetch(`${baseUrl}/plants/changes?after=${cursor}`, { headers }).catch(
      () => undefined,
    );
    if (response?.ok === false && response.status < 500) throw new Error(await response.text());
    let text = '';
    for await (const part of untilBroken(response?.ok ? response.body : null)) {
      const events = (text + part).split('\n\n');
      text = events.pop() ?? '';
      for (const [, id, data = ''] of events.map(
        (event) => /^id: (\d+)\nevent: change\ndata: ([^\n]*)$/.exec(event) ?? [],
      )) {
        if (id === undefined) continue;
        yield* await listPlantChangesResponseTransformer([JSON.parse(quoteLargeIntegers(data))]);
        cursor = id;
      }
    }
  }
}

async function* untilBroken(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): AsyncGenerator<string> {
  try {
    yield* body?.pipeThrough(new TextDecoderStream()) ?? [];
  } catch {
    // The connection is lost.
  }
}

/** Where the next page begins; undefined on the last one. Only the link tells, and what it says is for the service to read. */
function nextAfter(link: string | null): string | undefined {
  const parameters = /<\?([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  return new URLSearchParams(parameters).get('after') ?? undefined;
}

async function fetchExactly(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  return Object.assign(response, {
    text: async () => quoteLargeIntegers(await Response.prototype.text.call(response)),
  });
}
