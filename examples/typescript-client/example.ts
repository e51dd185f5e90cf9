import { allPlants, plantStore } from './client.ts';
import { createPlant, deletePlant, type Error, getPlant, patchPlant, putPlant } from './generated/index.ts';

const { PLANT_STORE_URL = 'http://127.0.0.1:3000', PLANT_STORE_TOKEN = '' } = process.env;
const client = plantStore(PLANT_STORE_URL, PLANT_STORE_TOKEN);

// Without the service, or with a wrong token, the example ends with one sentence.
process.once('uncaughtException', ({ message, cause }: Error & { cause?: unknown }) => {
  console.error(
    cause === undefined ? message : `No service answers at ${PLANT_STORE_URL}: run npm start first.`,
  );
  process.exitCode = 1;
});

// Any int64: so many that no plant has one of these yet. If one has after all, the example fails and leaves that plant alone.
const [first = 0n, second = 0n] = crypto.getRandomValues(new BigInt64Array(2));
const tag = `example ${first}`;

const { data: created } = await createPlant({
  client,
  body: { id: first, name: 'Aloe', tag },
  throwOnError: true,
});
console.log(`created ${first}: ${created.name}`);

const { data: put } = await putPlant({
  client,
  path: { id: second },
  headers: { 'If-None-Match': '*' },
  body: { name: 'Yucca', tag },
  throwOnError: true,
});
console.log(`put ${put.id}: ${put.name}`);

const { data: read, response } = await getPlant({ client, path: { id: first }, throwOnError: true });
console.log(`read ${read.id}: ${read.name}`);

const entityTag = response.headers.get('ETag') ?? '';
for (const name of ['Agave', 'Renamed by somebody who had not seen that']) {
  const { data, error } = await patchPlant({
    client,
    path: { id: first },
    headers: { 'If-Match': entityTag },
    body: { name },
  });
  if (error === undefined) console.log(`changed ${data.id}: ${data.name}`);
  else print(error);
}

for await (const { id, name } of allPlants(client, { limit: 1, tag })) console.log(`listed ${id}: ${name}`);

for (const id of [first, second, second]) {
  const { error } = await deletePlant({ client, path: { id } });
  if (error === undefined) console.log(`deleted ${id}`);
  else print(error);
}

function print({ error, message }: Error): void {
  console.log(`Error ${error}: ${message}`);
}
