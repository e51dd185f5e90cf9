import { allPlants, plantStore } from './client.ts';
import { createPlant, deletePlant, type Error, getPlant, patchPlant, putPlant } from './generated/index.ts';

const { PLANT_STORE_URL = 'http://127.0.0.1:3000', PLANT_STORE_TOKEN = '' } = process.env;
const client = plantStore(PLANT_STORE_URL, PLANT_STORE_TOKEN);

const ids = [9007199254740993n, 9223372036854775806n, 9223372036854775807n];

for (const id of ids) {
  const { data, error } = await createPlant({ client, body: { id, name: `Plant ${id}`, tag: 'example' } });
  if (error === undefined) console.log(`created ${id}: ${data.name}`);
  else print(error);
}

const [, , last = 0n] = ids;
const { data: plant, response } = await getPlant({ client, path: { id: last } });
if (plant !== undefined) console.log(`read ${plant.id}: ${plant.name}`);

const entityTag = response?.headers.get('ETag') ?? '';
for (const name of ['Renamed', 'Renamed by somebody who had not seen that']) {
  const { data, error } = await patchPlant({
    client,
    path: { id: last },
    headers: { 'If-Match': entityTag },
    body: { name },
  });
  if (error === undefined) console.log(`changed ${data.id}: ${data.name}`);
  else print(error);
}

const { data: replaced, error: refused } = await putPlant({
  client,
  path: { id: 1n },
  body: { name: 'Aloe' },
});
if (refused === undefined) console.log(`put ${replaced.id}: ${replaced.name}`);
else print(refused);

for await (const { id, name } of allPlants(client, { limit: 2, tag: 'example' }))
  console.log(`listed ${id}: ${name}`);

for (const id of [...ids, 1n, 1n]) {
  const { error } = await deletePlant({ client, path: { id } });
  if (error === undefined) console.log(`deleted ${id}`);
  else print(error);
}

function print({ error, message }: Error): void {
  console.log(`Error ${error}: ${message}`);
}
