import { expect, test } from 'vitest';
import { PlantsService } from '../../src/plants/plants.service.js';
import { entityTag } from '../../src/resource/conditional-requests.js';
import { createMany, newPlant } from '../support/plants.js';
import { startService } from '../support/service.js';

const ANY = { ifMatch: undefined, mustNotExist: false } as const;

test('writes to one plant that arrive together are done in their order, each on what the one before left', async () => {
  const service = await startService();
  const plants = service.app.get(PlantsService);
  const seen = async (name: string) => {
    const { representation } = await plants.put(1n, newPlant(1n, name), ANY);
    return { ifMatch: [entityTag(representation)], mustNotExist: false };
  };
  const [aloe, fern] = [await seen('Aloe'), await seen('Fern')];
  await plants.remove(1n, ANY);

  const outcomes = await Promise.allSettled([
    plants.remove(1n, ANY),
    plants.create(newPlant(1n, 'Aloe')),
    plants.create(newPlant(1n, 'Cactus')),
    plants.patch(1n, { tag: 'succulent' }, aloe),
    plants.put(1n, newPlant(1n, 'Fern'), aloe),
    plants.put(1n, newPlant(1n, 'Fern'), ANY),
    plants.put(1n, newPlant(1n, 'Moss'), { ifMatch: undefined, mustNotExist: true }),
    plants.remove(1n, fern),
    plants.patch(1n, { name: 'Ivy' }, ANY),
    plants.put(1n, newPlant(1n, 'Moss'), { ifMatch: undefined, mustNotExist: true }),
    plants.patch(1n, { name: 'Ivy' }, ANY),
  ]);

  expect(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason)),
  ).toMatchObject([
    { error: 40401 },
    { name: 'Aloe' },
    { error: 40900 },
    { id: 1n, name: 'Aloe', tag: 'succulent' },
    { error: 41200 },
    { representation: { id: 1n, name: 'Fern' }, isNew: false },
    { error: 41200 },
    undefined,
    { error: 40401 },
    { representation: { id: 1n, name: 'Moss' }, isNew: true },
    { id: 1n, name: 'Ivy' },
  ]);
  expect(await service.plants()).toEqual([{ id: 1n, name: 'Ivy', tag: null }]);
});

test('a create that arrives together with a deletion knows the plant that is there', async () => {
  const service = await startService();
  const plants = service.app.get(PlantsService);
  await plants.create(newPlant(1n, 'Aloe'));

  const outcomes = await Promise.allSettled([plants.create(newPlant(1n, 'Cactus')), plants.remove(1n, ANY)]);

  expect(outcomes).toMatchObject([{ reason: { error: 40900 } }, { status: 'fulfilled' }]);
  expect(await service.plants()).toEqual([]);
});

test('many writes of every kind at the same time all take effect', async () => {
  const service = await startService();
  const ids = Array.from({ length: 100 }, (_, index) => index + 1);
  await createMany(service, 75);

  const answers = await Promise.all(
    ids.map(async (id) => {
      if (id <= 25) return service.send('DELETE', `/plants/${id}`);
      if (id <= 50) return service.send('PATCH', `/plants/${id}`, { body: { tag: null } });
      return service.send('PUT', `/plants/${id}`, { body: { name: `new ${id}` } });
    }),
  );

  expect(answers.map(({ status }) => status)).toEqual(
    ids.map((id) => (id <= 25 ? 204 : id <= 75 ? 200 : 201)),
  );
  expect(await service.plants()).toEqual(
    ids.slice(25).map((id) => ({ id: BigInt(id), name: id <= 50 ? `plant ${id}` : `new ${id}`, tag: null })),
  );
});

function longName(id: number): string {
  return String(id).repeat(8_000);
}

test('many plants that are large are read, changed and deleted at the same time', async () => {
  const service = await startService();
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const all = async (method: string, body?: object) =>
    Promise.all(ids.map(async (id) => service.send(method, `/plants/${id}`, body && { body })));
  await Promise.all(ids.map(async (id) => service.create({ id, name: longName(id) })));

  const read = await all('GET');
  const changed = await all('PATCH', { tag: 'large' });
  const deleted = await all('DELETE');

  expect(read.map(({ body }) => body)).toMatchObject(ids.map((id) => ({ id, name: longName(id) })));
  expect(changed.map(({ body }) => body)).toMatchObject(
    ids.map((id) => ({ id, name: longName(id), tag: 'large' })),
  );
  expect(new Set(deleted.map(({ status }) => status))).toEqual(new Set([204]));
  expect(await service.plants()).toEqual([]);
});
