import { Api, type StoredPlant } from './swagger-typescript-api/api.ts';
import { idsOf, type Seen, type Service } from './scenario.ts';

export default async function run(service: Service): Promise<Seen> {
  const { plants } = new Api({
    baseUrl: service.url,
    baseApiParams: { headers: { Authorization: `Bearer ${service.token}` }, format: 'json' },
  });
  const [first, second] = idsOf<StoredPlant['id']>(service);

  await plants.createPlant({ id: first, name: 'Aloe', tag: 'a' });
  await plants.createPlant({ id: second, name: 'Yucca', tag: 'a' });

  const listed: StoredPlant[] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { data, headers } = await plants.listPlants({ limit: 1, ...(after !== undefined && { after }) });
    listed.push(...data);
    after = headers.get('X-Next-After') ?? undefined;
  }

  const { headers } = await plants.getPlant(listed[0]!.id);
  const { data: patched } = await plants.patchPlant(
    listed[0]!.id,
    { name: 'Agave' },
    { headers: { 'If-Match': headers.get('ETag')! } },
  );

  const { data: batch } = await plants.batchPlants({
    operations: [
      { kind: 'patch', id: patched.id, body: { tag: 'b' } },
      { kind: 'delete', id: listed[1]!.id },
    ] as never,
  });

  const { data: changes } = await plants.listPlantChanges({ after: '0' });

  return { listed, patched, batch: batch.results, changes, streamed: listed[0]! };
}
