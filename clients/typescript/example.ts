import { ApiError, ErrorValue, PlantStore } from './src/index.ts';

const { PLANT_STORE_URL = 'http://127.0.0.1:3000', PLANT_STORE_TOKEN = '' } = process.env;
const { plants, changes } = new PlantStore({ url: PLANT_STORE_URL, token: PLANT_STORE_TOKEN });

// Without the service, or with a wrong token, the example ends with one sentence.
process.once('uncaughtException', (error) => {
  console.error(
    error instanceof ApiError
      ? error.message
      : `No service answers at ${PLANT_STORE_URL}: run npm start first.`,
  );
  process.exitCode = 1;
});

// Any int64: so many that no plant has one of these yet. If one has after all, the example fails and leaves that plant alone.
const [first = 0n, second = 0n] = crypto.getRandomValues(new BigInt64Array(2));
const tag = `example ${first}`;
const start = await changes.cursor();

const created = await plants.create({ id: first, name: 'Aloe', tag });
console.log(`created ${first}: ${created.name}`);

const { plant: put } = await plants.put({ id: second, name: 'Yucca', tag }, { ifNoneMatch: '*' });
console.log(`put ${put.id}: ${put.name}`);

const { plant: read, etag } = await plants.get(first);
console.log(`read ${read.id}: ${read.name}`);

for (const name of ['Agave', 'Renamed by somebody who had not seen that']) {
  try {
    const { plant } = await plants.patch(first, { name }, { ifMatch: etag });
    console.log(`changed ${plant.id}: ${plant.name}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== ErrorValue.PreconditionFailed) throw error;
    console.log(`Error ${error.error}: ${error.message}`);
  }
}

for await (const { id, name } of plants.list({ tag })) console.log(`listed ${id}: ${name}`);

for (const id of [first, second]) await plants.delete(id);

for await (const { kind, plant } of changes.read({ after: start }))
  if (plant.tag === tag) console.log(`${kind} ${plant.id}: ${plant.name}`);
