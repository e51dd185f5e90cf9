import { expect, test } from 'vitest';
import { PlantsService } from '../../src/plants/plants.service.js';
import { entityTag } from '../../src/resource/conditional-requests.js';
import { newPlant } from '../support/plants.js';
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
