import createClient, { type Middleware } from 'openapi-fetch';
import type { components, operations, paths } from './openapi-typescript/schema.ts';
import type { Seen, Service } from './scenario.ts';

type PlantChange = components['schemas']['PlantChange'];
type StoredPlant = components['schemas']['StoredPlant'];
type Lines = operations['exportPlants']['responses'][200]['content'];

export default async function run(service: Service): Promise<Seen> {
  const client = createClient<paths>({
    baseUrl: service.url,
    headers: { Authorization: `Bearer ${service.token}` },
  });
  // What the service refuses ends the scenario.
  const refusals: Middleware = {
    onResponse: async ({ response }) => {
      if (!response.ok) throw new Error(await response.text());
    },
  };
  client.use(refusals);
  const [first, second] = service.ids;

  await client.POST('/plants', { body: { id: first, name: 'Aloe', tag: 'a' } });
  await client.POST('/plants', { body: { id: second, name: 'Yucca', tag: 'a' } });

  const listed: StoredPlant[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const query = { limit: 1, ...(after !== undefined && { after }) };
    const { data = [], response } = await client.GET('/plants', { params: { query } });
    listed.push(...data);
    after = response.headers.get('X-Next-After') ?? undefined;
  }

  const path = { id: listed[0]!.id };
  const { response } = await client.GET('/plants/{id}', { params: { path } });
  const header = { 'If-Match': response.headers.get('ETag')! };
  const { data: patched } = await client.PATCH('/plants/{id}', {
    params: { path, header },
    body: { name: 'Agave' },
  });

  const { data: batch } = await client.POST('/plants/batch', {
    body: {
      operations: [
        { kind: 'patch', id: patched!.id, body: { tag: 'b' } },
        { kind: 'delete', id: listed[1]!.id },
      ],
    },
  });

  // The operation has other forms, which are of one change each.
  const { data } = await client.GET('/plants/changes', { params: { query: { after: '0' } } });
  const changes = data as PlantChange[];

  // The contract gives the type of a line.
  const { data: text } = await client.GET('/plants/export', { parseAs: 'text' });
  const line: Lines[keyof Lines] = JSON.parse(String(text));

  return { listed, patched: patched!, batch: batch!.results, changes, streamed: line };
}
