import createClient from 'openapi-fetch';
import type { components, operations, paths } from './openapi-typescript/schema.ts';

type PlantChange = components['schemas']['PlantChange'];
type Lines = operations['exportPlants']['responses'][200]['content'];

/** Compiles if the contract gives a program the types that it needs. */
export default async function run(baseUrl: string, token: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

  await client.POST('/plants', { body: { id: 1, name: 'Aloe', tag: 'a' } });
  const query = { limit: 1, after: '1' };
  const { data: listed = [] } = await client.GET('/plants', { params: { query } });

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
  const { data: changes } = await client.GET('/plants/changes', { params: { query: { after: '0' } } });
  const { kind, plant } = (changes as PlantChange[])[0]!;

  // The contract gives the type of a line.
  const { data: text } = await client.GET('/plants/export', { parseAs: 'text' });
  const line: Lines[keyof Lines] = JSON.parse(String(text));

  return [batch!.results[0]!.status, kind, plant.id, line.id];
}
