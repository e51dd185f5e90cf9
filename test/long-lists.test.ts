import { describe, expect, test } from 'vitest';
import { startServiceWithManyPlants } from './support/many-plants.js';
import { type Service, startService, TOKEN } from './support/service.js';

const HEADERS = { Authorization: `Bearer ${TOKEN}` };

/** The ids on each page of a list, from the first to the last. */
async function walk(service: Service, parameters: string): Promise<number[][]> {
  const pages: number[][] = [];
  let next: string | undefined = `?${parameters}`;
  while (next !== undefined) {
    const { body, headers } = await service.request(`/plants${next}`, { headers: HEADERS });
    pages.push((body as { id: number }[]).map(({ id }) => id));
    next = /^<(\?\S+)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
  }
  return pages;
}

function range(first: number, last: number, step = 1): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

describe('a list of 30,000 plants', () => {
  test.for([
    ['everything', '', range(1, 30_000)],
    ['a frequent tag', 'tag=frequent', range(1, 30_000, 2)],
    ['a rare tag', 'tag=rare', range(2, 30_000, 3000)],
    ['a rare name', 'name=Rare', range(1, 30_000, 3000)],
    ['a rare name that few with a frequent tag have', 'name=Rare%206&tag=frequent', [6001]],
    ['a frequent name', 'name=M_n', range(22_001, 30_000).filter((id) => id % 3000 !== 1)],
    ['a frequent name among a rare tag', 'name=M_n&tag=rare', [24_002, 27_002]],
  ] as const)('that asks for %s has each of them once, over all pages', async ([, parameters, ids]) => {
    const service = await startServiceWithManyPlants();

    const pages = await walk(service, `limit=1000&${parameters}`);

    expect(pages.flat()).toEqual(ids);
  });

  test('looks through 20,000 plants at most for a page, and says where to go on', async () => {
    const service = await startServiceWithManyPlants();

    const answer = await service.request('/plants?limit=7&name=M_n', { headers: HEADERS });

    expect(answer).toMatchObject({ status: 200, body: [] });
    expect(answer.headers.get('Link')).toBe('<?limit=7&after=20000&name=M_n>; rel="next"');
  });

  test('looks at 8 MiB of large plants at most for a page, and says where to go on', async () => {
    const service = await startService();
    const prefix = 'x'.repeat(64);
    await service.database.execute(`
      WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 1100)
      INSERT INTO plants SELECT id, '${prefix.repeat(1000)}' || id, NULL FROM ids`);

    const answer = await service.request(`/plants?name=${prefix}y`, { headers: HEADERS });

    expect(answer).toMatchObject({ status: 200, body: [] });
    expect(answer.headers.get('Link')).toMatch(/after=13[12]&/);
    expect((await walk(service, `name=${prefix}y`)).flat()).toEqual([]);
    expect((await walk(service, `name=${prefix.repeat(8)}`)).flat()).toEqual(range(1, 1100));
  });

  test('tells tags apart that differ behind what the index holds', async () => {
    const service = await startServiceWithManyPlants();
    const long = 't'.repeat(64);
    await service.database.execute(`UPDATE plants SET tag = '${long}a'`);
    await service.database.execute(`UPDATE plants SET tag = '${long}' WHERE id > 29990`);

    expect((await walk(service, `tag=${long}`)).flat()).toEqual(range(29_991, 30_000));
  });
});
