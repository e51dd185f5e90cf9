import { describe, expect, test } from 'vitest';
import type { StoredPlant } from '../support/database.js';
import { storeManyPlants } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';

/** The ids on each page of a list, from the first to the last. */
async function walk(service: Service, parameters: string): Promise<number[][]> {
  const pages: number[][] = [];
  let next: string | undefined = `?${parameters}`;
  while (next !== undefined) {
    const { body, headers } = await service.send('GET', `/plants${next}`);
    pages.push((body as { id: number }[]).map(({ id }) => id));
    next = /^<(\?\S+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
  }
  return pages;
}

async function count(service: Service, parameters: string): Promise<unknown> {
  return (await service.send('GET', `/plants/count?${parameters}`)).body;
}

function byName(a: StoredPlant, b: StoredPlant): number {
  return a.name < b.name ? -1 : 1;
}

/** The numbers from one to another. */
function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe('a list of 30,000 plants', () => {
  test.for<[string, string, (plant: StoredPlant) => boolean]>([
    ['a name that all have', 'name=', () => true],
    ['a frequent name at its beginning', 'name=M_n', ({ name }) => name.startsWith('M_n')],
    ['a frequent name in its middle', 'name=Monstera', ({ name }) => name.startsWith('Monstera')],
    ['a rare name at its end', 'name=Rare', ({ name }) => name.startsWith('Rare')],
    ['a name that none has', 'name=Monsterb', () => false],
    ['a frequent tag', 'tag=frequent', ({ tag }) => tag === 'frequent'],
    ['a rare tag', 'tag=rare', ({ tag }) => tag === 'rare'],
    [
      'a frequent name with a frequent tag',
      'name=M_n&tag=frequent',
      ({ name, tag }) => name.startsWith('M_n') && tag === 'frequent',
    ],
    [
      'a frequent name with a rare tag',
      'name=M_n&tag=rare',
      ({ name, tag }) => name.startsWith('M_n') && tag === 'rare',
    ],
    ['a rare name with a frequent tag', 'name=Rare%206&tag=frequent', ({ id }) => id === 6001n],
  ])(
    'that asks for %s has each of them once, on full pages, as many as a count says',
    async ([, parameters, isWanted]) => {
      const service = await startService();
      await storeManyPlants(service);
      const wanted = (await service.plants()).filter(isWanted).toSorted(byName);

      const pages = await walk(service, `limit=1000&${parameters}`);

      expect(pages.flat()).toEqual(wanted.map(({ id }) => Number(id)));
      expect(await count(service, parameters)).toEqual({ count: wanted.length });
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(1000);
    },
  );

  test('that asks for everything has each of them once, on full pages, in ascending id', async () => {
    const service = await startService();
    await storeManyPlants(service);

    const pages = await walk(service, 'limit=1000');

    expect(pages).toEqual(range(0, 29).map((page) => range(1000 * page + 1, 1000 * page + 1000)));
  });

  test('goes on by id among names that differ only behind what the index holds', async () => {
    const service = await startService();
    await storeManyPlants(service);
    const long = 'n'.repeat(64);
    await service.database.execute(`UPDATE plants SET name = '${long}' || (30000 - id)`);

    const pages = await walk(service, `limit=1000&name=${long}`);

    expect(pages).toEqual(range(0, 29).map((page) => range(1000 * page + 1, 1000 * page + 1000)));
    expect(await count(service, `name=${long}`)).toEqual({ count: 30_000 });
  });

  test('tells tags apart that differ behind what the index holds', async () => {
    const service = await startService();
    await storeManyPlants(service);
    const long = 't'.repeat(63);
    await service.database.execute(
      `UPDATE plants SET tag = '${long}' || CASE WHEN id % 2 = 0 THEN 't' ELSE 'ta' END`,
    );
    await service.database.execute(`UPDATE plants SET tag = '${long}' WHERE id > 29990`);

    expect((await walk(service, `tag=${long}`)).flat()).toEqual(range(29_991, 30_000));
    expect(await count(service, `tag=${long}`)).toEqual({ count: 10 });
  });
});
