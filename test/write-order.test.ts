import { expect, test } from 'vitest';
import { entityTag } from '../src/plants/entity-tag.js';
import { PlantsService } from '../src/plants/plants.service.js';
import { createMany } from './support/plants.js';
import { startService } from './support/service.js';

const ANY = { ifMatch: undefined, mustNotExist: false } as const;

test('writes to one plant that arrive together are done in their order, each on what the one before left', async () => {
  const service = await startService();
  const plants = service.app.get(PlantsService);
  const seen = { ifMatch: [entityTag({ name: 'Aloe' })], mustNotExist: false } as const;

  const outcomes = await Promise.allSettled([
    plants.remove(1n, ANY),
    plants.create({ id: 1n, name: 'Aloe' }),
    plants.create({ id: 1n, name: 'Cactus' }),
    plants.patch(1n, { tag: 'succulent' }, seen),
    plants.put(1n, { name: 'Fern' }, seen),
    plants.put(1n, { name: 'Fern' }, ANY),
    plants.put(1n, { name: 'Moss' }, { ifMatch: undefined, mustNotExist: true }),
    plants.remove(1n, { ifMatch: [entityTag({ name: 'Fern' })], mustNotExist: false }),
    plants.patch(1n, { name: 'Ivy' }, ANY),
    plants.put(1n, { name: 'Moss' }, { ifMatch: undefined, mustNotExist: true }),
    plants.patch(1n, { name: 'Ivy' }, ANY),
  ]);

  expect(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason)),
  ).toEqual([
    expect.objectContaining({ error: 40401 }),
    { name: 'Aloe' },
    expect.objectContaining({ error: 40900 }),
    { id: 1n, name: 'Aloe', tag: 'succulent' },
    expect.objectContaining({ error: 41200 }),
    { plant: { id: 1n, name: 'Fern' }, isNew: false },
    expect.objectContaining({ error: 41200 }),
    undefined,
    expect.objectContaining({ error: 40401 }),
    { plant: { id: 1n, name: 'Moss' }, isNew: true },
    { id: 1n, name: 'Ivy' },
  ]);
  expect(await service.plants()).toEqual([{ id: 1n, name: 'Ivy', tag: null }]);
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
