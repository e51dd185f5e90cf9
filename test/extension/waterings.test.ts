import { describe, expect, test } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { startService } from '../support/service.js';

const day = (number: number) => `2026-03-0${number}T08:30:00.000Z`;

async function startWithPlants() {
  const service = await startService();
  for (const id of [1, 2]) await service.create({ id, name: 'Aloe' });
  const water = async (plant: number, at: unknown, fields: object = {}) =>
    service.send('POST', `/plants/${plant}/waterings`, { body: { at, litres: 0.5, ...fields } });
  const list = async (query = '') => service.send('GET', `/plants/1/waterings${query}`);
  const patch = async (id: unknown, body: object) =>
    service.send('PATCH', `/waterings/${String(id)}`, { body });
  return { service, water, list, patch };
}

describe('waterings', () => {
  test('belong to one plant and are listed the newest first, page by page', async () => {
    const { water, list } = await startWithPlants();

    const created = await water(1, '2026-03-02T09:30:00+01:00', { litres: 0.1 });
    for (const number of [1, 3]) await water(1, day(number));
    await water(2, day(4));
    const { body: all } = await list();
    const first = await list('?limit=2');
    const last = await list(/<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]);

    expect(created).toMatchObject({ status: 201, body: { plant: 1, at: day(2), litres: 0.1 } });
    expect(all).toMatchObject([{ at: day(3) }, created.body, { at: day(1) }]);
    expect([first.body, last.body].flat()).toEqual(all);
  });

  test.for([
    ['404 without their plant', 3, day(1), {}, 404, 40401],
    ['400 on a date without a time', 1, '2026-03-01', {}, 400, 40001],
    ['400 without water', 1, day(1), { litres: 0 }, 400, 40001],
    ['409 at the moment of another one', 1, day(5), {}, 409, 40902],
  ] as const)('are refused with %s, and others are not', async ([, plant, at, fields, status, error]) => {
    const { water } = await startWithPlants();
    await water(1, day(5));

    const [other, refused] = await Promise.all([water(1, day(2)), water(plant, at, fields)]);

    expect(other.status).toBe(201);
    expect(refused).toMatchObject({ status, body: { error } });
  });

  test('are created once when many come for one moment', async () => {
    const { water, list } = await startWithPlants();

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => water(1, day(1 + (index % 5)))),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ body }) => (body as { error?: number }).error === 40902)).toHaveLength(45);
    expect((await list()).body).toHaveLength(5);
  });

  test.for([
    ['a required field', { litres: null }, 400, 40001],
    ['a value that is taken', { at: day(1) }, 409, 40902],
  ] as const)('refuse a patch of %s', async ([, body, status, error]) => {
    const { water, patch, list } = await startWithPlants();
    await water(1, day(1));
    const { body: watering } = await water(1, day(2), { celsius: 20.5 });
    const before = await list();

    expect(await patch((watering as { id: string }).id, body)).toMatchObject({ status, body: { error } });
    expect((await list()).body).toEqual(before.body);
  });

  test('lose an optional number to null, which the contract says of that alone', async () => {
    const { service, water, patch } = await startWithPlants();
    const { body } = await water(1, day(1), { celsius: 20.5 });

    const patched = await patch((body as { id: string }).id, { celsius: null });
    const { components } = (await service.request('/openapi.json')).body as {
      components: { schemas: Record<string, { properties: Record<string, object>; required?: string[] }> };
    };

    expect(patched.body).not.toHaveProperty('celsius');
    const { properties, required } = components.schemas['WateringPatch'] ?? { properties: {} };
    expect(required ?? []).toEqual([]);
    expect(properties).toMatchObject({
      celsius: { type: ['number', 'null'] },
      litres: { type: 'number' },
      method: { type: 'string', enum: ['can', 'hose', 'rain'] },
    });
    expect(properties['method']).not.toHaveProperty('default');
  });

  test('keep their plant until they are deleted', async () => {
    const { service, list } = await startWithPlants();
    // More than one statement deletes.
    await service.database.execute(
      `INSERT INTO waterings (id, plant, at, litres, method)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
       SELECT CAST(i AS TEXT), 1, CAST(i AS TEXT), 1, 'can' FROM n`,
    );

    expect(await service.send('DELETE', '/plants/1')).toMatchObject({ status: 409, body: { error: 40903 } });
    expect((await service.send('DELETE', '/plants/1/waterings')).status).toBe(204);
    expect((await list()).body).toEqual([]);
    expect((await service.send('DELETE', '/plants/1')).status).toBe(204);
    expect(await list()).toMatchObject({ status: 404, body: { error: 40401 } });
  });

  test('move with the command line, also those without a field that has a default', async () => {
    const { service, water, list } = await startWithPlants();
    const { body } = await water(1, day(1));
    const { stdout } = await plantStore(service.database, ['export', '--of', 'waterings']);
    await service.database.execute('DELETE FROM waterings');

    const lines = stdout.replace(',"method":"can"', '');
    await plantStore(service.database, ['import', '--of', 'waterings'], lines);

    expect(lines).not.toBe(stdout);
    expect((await list()).body).toEqual([body]);
  });
});
