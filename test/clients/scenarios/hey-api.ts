import { client } from './hey-api/client.gen.ts';
import {
  batchPlants,
  createPlant,
  getPlant,
  listPlantChanges,
  listPlants,
  patchPlant,
  type PlantChange,
  type StoredPlant,
} from './hey-api/index.ts';
import { idsOf, type Seen, type Service } from './scenario.ts';

export default async function run(service: Service): Promise<Seen> {
  client.setConfig({ baseUrl: service.url, auth: service.token, throwOnError: true });
  const [first, second] = idsOf<StoredPlant['id']>(service);

  await createPlant({ body: { id: first, name: 'Aloe', tag: 'a' } });
  await createPlant({ body: { id: second, name: 'Yucca', tag: 'a' } });

  const listed: StoredPlant[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const query = { limit: 1, ...(after !== undefined && { after }) };
    const { data, response } = await listPlants({ query, throwOnError: true });
    listed.push(...data);
    after = response.headers.get('X-Next-After') ?? undefined;
  }

  const path = { id: listed[0]!.id };
  const { response } = await getPlant({ path, throwOnError: true });
  const headers = { 'If-Match': response.headers.get('ETag')! };
  const { data: patched } = await patchPlant({ path, headers, body: { name: 'Agave' }, throwOnError: true });

  const { data: batch } = await batchPlants({
    body: {
      operations: [
        { kind: 'patch', id: patched.id, body: { tag: 'b' } },
        { kind: 'delete', id: listed[1]!.id },
      ],
    },
    throwOnError: true,
  });

  const { data: changes } = await listPlantChanges({ query: { after: '0' }, throwOnError: true });

  const events = await client.sse.get<{ change: PlantChange }>({
    url: '/plants/changes',
    query: { after: '0' },
    headers: { Accept: 'text/event-stream' },
    security: [{ scheme: 'bearer', type: 'http' }],
  });
  for await (const { plant } of events.stream)
    return { listed, patched, batch: batch.results, changes, streamed: plant };
  throw new Error('There are no events.');
}
