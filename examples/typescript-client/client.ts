import { quoteLargeIntegers, writeJson } from './exact-json.ts';
import { type Client, createClient } from './generated/client/index.ts';
import { listPlants, type ListPlantsData, type StoredPlant } from './generated/index.ts';

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
