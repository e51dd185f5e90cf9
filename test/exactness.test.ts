import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredPlant } from './support/database.js';
import { plantBody } from './model/plant-bodies.js';
import { readNewPlant } from './model/plant-reference.js';
import { withoutOtherFields } from './support/plants.js';
import { createRequest, startService } from './support/service.js';

/** Bodies that are tried. */
const RUNS = 80;

test('any body is stored and answered exactly, or refused with an Error and nothing is stored', async () => {
  const service = await startService();
  const model = new Map<bigint, StoredPlant>();
  let stored = 0;

  await fc.assert(
    fc.asyncProperty(plantBody, async (body) => {
      const expected = expectedPlant(body, model);

      const answer = await service.request('/plants', createRequest(Buffer.from(body)));

      if (expected === undefined) {
        expect(answer).toMatchObject({
          status: 400,
          body: { error: expect.any(Number), message: expect.any(String) },
        });
      } else {
        const { name, tag } = expected;
        model.set(expected.id, expected);
        stored += 1;
        expect(answer.status).toBe(200);
        expect(JSON.parse(withoutOtherFields(answer.text))).toStrictEqual(
          tag === null ? { name } : { name, tag },
        );
      }
      expect(await service.plants()).toEqual([...model.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    }),
    { numRuns: RUNS },
  );

  // Not only refusals were tried; chance decides how many.
  expect(stored).toBeGreaterThan(RUNS / 40);
});

/** The plant that the contract sees in a body; undefined means refused. */
function expectedPlant(body: string, model: ReadonlyMap<bigint, StoredPlant>): StoredPlant | undefined {
  const plant = readNewPlant(Buffer.from(body));
  if (typeof plant === 'number' || model.has(plant.id)) return undefined;
  const { name, tag = null } = plant.content;
  return { id: plant.id, name, tag };
}
