import { describe, expect, inject, test, vi } from 'vitest';
import type { Collection } from '../../../src/kernel/resource/collection.js';
import type { CollectionQuery } from '../../../src/kernel/resource/page.js';
import { collectionToken } from '../../../src/kernel/resource/resource.module.js';
import { Plant } from '../../../src/plants/plant.entity.js';
import { storeManyPlants } from '../../support/plants.js';
import { type Answer, type Service, startService } from '../../support/service.js';

const PLANTS = [
  { id: 1, name: 'Ficus lyrata', tag: 'houseplant' },
  { id: 2, name: 'FICUS Élastica' },
  { id: 3, name: 'Weiße Rose', tag: '100% "frost-hardy"' },
  { id: 4, name: 'ΟΔΟΣ', tag: 'a_b*c^d:e\\f' },
  { id: 5, name: 'cactus 🌵🌵🌵', tag: 'AND NOT NEAR' },
  { id: 6, name: 'lyr', tag: 'ata' },
];

const LINK = /^<(.*)>/;

/** Starts a service on a store, once its index is complete if it has one. */
async function startSearched(SEARCH: string, database?: Service['database']): Promise<Service> {
  const service = await startService({ SEARCH }, database);
  if (SEARCH === 'on') await vi.waitUntil(() => service.log.some((line) => line.includes('is complete')));
  return service;
}

/** Starts a service in which plants have these ids, names and tags. */
async function storeOf(plants: readonly object[], SEARCH: string): Promise<Service> {
  const service = await startSearched(SEARCH);
  for (const plant of plants) await service.create(plant);
  return service;
}

/** Reads all pages of a list. */
async function pagesOf(service: Service, query: string): Promise<{ id: number }[][]> {
  const pages: { id: number }[][] = [];
  for (let path: string | undefined = `/plants?${query}`; path !== undefined;) {
    const { body, text, headers }: Answer = await service.send('GET', path);
    expect(body, text).toBeInstanceOf(Array);
    pages.push(body as { id: number }[]);
    const next: string | undefined = LINK.exec(headers.get('link') ?? '')?.[1];
    path = next === undefined ? undefined : `/plants${next}`;
  }
  return pages;
}

async function idsOf(service: Service, words: string): Promise<unknown> {
  const pages = await pagesOf(service, `limit=1000&search=${encodeURIComponent(words)}`);
  return pages.flat().map(({ id }) => id);
}

describe.each(['off', 'on'])('GET /plants?search= with SEARCH=%s', (SEARCH) => {
  test('keeps a filter of the list beside the words, in lists and counts', async () => {
    const { app } = await storeOf(PLANTS, SEARCH);
    const plants = app.get<Collection<Plant>>(collectionToken(Plant), { strict: false });
    const asked = {
      order: ['id'],
      filter: { condition: 'tag = ? OR id = ?', parameters: ['houseplant', 3] },
    };

    const { items } = await plants.list(asked, { search: 'lyr', limit: 10 } as CollectionQuery);

    expect(JSON.parse(items.text)).toEqual([PLANTS[0]]);
    expect(await plants.count(asked, { search: 'lyr' })).toBe(1);
    expect(await plants.count(asked)).toBe(2);
  });

  test('finds the plants with every word somewhere in name or tag, whatever the case', async () => {
    const service = await storeOf(PLANTS, SEARCH);
    const cases: [words: string, ids: number[]][] = [
      ['lyrata', [1]],
      ['LYR', [1, 6]],
      ['ficus', [1, 2]],
      [' plant \t ficus ', [1]],
      ['ficus rose', []],
      ['élas', [2]],
      ['ELAS', []],
      ['weiß', [3]],
      ['100%', [3]],
      ['1%0', []],
      ['"frost-', [3]],
      ['οδοσ', [4]],
      ['a_b', [4]],
      ['axb', []],
      ['*c^d:e\\f', [4]],
      ['🌵🌵🌵', [5]],
      ['AND', [5]],
      ['NOT NEAR', [5]],
      ['NEAR(cactus', []],
      ['cactus OR rose', []],
      ['name:ficus', []],
      ['fic*', []],
      ['fic?', []],
      ['fic[u]', []],
      ['yr.ta', []],
      ['lyrata|rose', []],
      ['(ficus)', []],
      ['y', [1, 3, 6]],
      ['Y T', [1, 3, 6]],
      ['🌵', [5]],
      ['"', [3]],
      ['\\', [4]],
      ['*', [4]],
      ['^', [4]],
      ['%', [3]],
      ['_', [4]],
      ['st ss', []],
      ['ca tu', [5]],
    ];

    const found = [];
    for (const [words] of cases) {
      const { body } = await service.send('GET', `/plants/count?search=${encodeURIComponent(words)}`);
      found.push([words, await idsOf(service, words), body]);
    }

    expect(found).toEqual(cases.map(([words, ids]) => [words, ids, { count: ids.length }]));
  });

  test('folds case and the sign of hybrids as docs/api.md says, and nothing else', async () => {
    const cases: [name: string, words: string, isFound: boolean][] = [
      ['ÉLAN', 'élan', true],
      ['Élan', 'elan', false],
      ['e\u0301lan', 'élan', true],
      ['élan', 'E\u0301LAN', true],
      ['e\u0301lan', 'E\u0301LAN', true],
      ['Weiße', 'weisse', false],
      ['GROẞ', 'groß', true],
      ['ВИШНЯ', 'вишня', true],
      ['ԱԲԳԴ', 'աբգդ', true],
      ['\u212Alimt', 'klimt', true],
      ['klimt', '\u212ALIMT', true],
      ['ΣΑΣς', 'σας', true],
      ['ΟΔΟΣ', 'οδος', true],
      ['οδος', 'ΟΔΟΣ', true],
      ['\u017Fagt', 'sagt', true],
      ['sagt', '\u017FAGT', true],
      ['50 \u00B5m³', '\u03BCm³', true],
      ['\u03D1\u03D5\u03D6\u03D0\u03F0\u03F1\u03F5', 'θφπβκρε', true],
      ['İstanbul', 'İstanbul', true],
      ['İstanbul', 'istanbul', false],
      ['ISTANBUL', 'ıstanbul', false],
      ['ısı', 'ısı', true],
      ['\u13A0\u13A1\u13A2', '\uAB70\uAB71\uAB72', false],
      ['\u13A0\u13A1\u13A2', '\u13A0\u13A1\u13A2', true],
      ['ＡＢＣ', 'ａｂｃ', false],
      ['Mentha × piperita', 'mentha x piperita', true],
      ['Mentha x piperita', 'MENTHA × PIPERITA', true],
      ['Mentha ×piperita', 'mentha X piperita', true],
      ['× Cuprocyparis', 'x cuprocyparis', true],
      ['X Cuprocyparis', '×cuprocyparis', true],
      ['Mentha piperita', 'mentha x piperita', false],
      ['Mentha x-ray', 'mentha × ray', false],
      ['Ilex', 'x', true],
      ['Rosa × alba', '×', true],
      ['Rosa x', 'rosa x', true],
      ['Rosa X\nalba', 'rosa × alba', true],
      ['Cuprocyparis leylandii', 'x leylandii', false],
    ];
    const service = await storeOf(
      cases.map(([name], id) => ({ id, name })),
      SEARCH,
    );

    const found: typeof cases = [];
    for (const [id, [name, words]] of cases.entries())
      found.push([name, words, ((await idsOf(service, words)) as number[]).includes(id)]);

    expect(found).toEqual(cases);
  });

  test('refuses what cannot be searched for', async () => {
    const service = await startService({ SEARCH });

    for (const [query, message] of [
      ['', 'search must be 1 to 8 words of at most 64 characters'],
      ['+', 'search must be 1 to 8 words'],
      ['a'.repeat(65), 'search must be 1 to 8 words'],
      ['abc+'.repeat(9), 'search must be 1 to 8 words'],
      ['abc&search=def', 'search must be 1 to 8 words'],
      ['a%00bc', 'search must be 1 to 8 words'],
      ['abc&ids=1', 'ids cannot be combined with other parameters'],
      ['abc&tag=a&sort=id', 'sort must be name or -name with tag or name'],
      ['abc&after=x', 'after must come from the Link of a page'],
    ] as const) {
      const { status, body } = await service.send('GET', `/plants?search=${query}`);

      expect.soft(status, query).toBe(400);
      expect.soft(body, query).toEqual({ error: 40002, message: expect.stringContaining(message) });
    }
  });

  test('has pages, over ids of which few and many match, in any order and with any filter', async () => {
    const service = await startSearched(SEARCH);
    const plants = Array.from({ length: 3_000 }, (_, id) => ({
      id: id - 1_500,
      name: `${id % 7} ${id % 400 < 20 || id > 2_700 ? 'found here' : 'other'}`,
      tag: ['a', 'b'][id % 3],
    }));
    await service.send('POST', '/plants/import', {
      body: plants.map((plant) => JSON.stringify(plant)).join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const byName = (sign: number) => (one: (typeof plants)[0], other: (typeof plants)[0]) =>
      sign * (one.name.localeCompare(other.name) || one.id - other.id);
    const found = plants.filter(({ name }) => name.includes('found'));
    const ofTag = found.filter(({ tag }) => tag === 'a');

    for (const [query, expected] of [
      ['limit=333', found],
      ['limit=99&sort=-id', found.toReversed()],
      ['limit=99&sort=name', found.toSorted(byName(1))],
      ['limit=99&tag=a', ofTag.toSorted(byName(1))],
      ['limit=20&tag=a&sort=-name', ofTag.toSorted(byName(-1))],
      ['limit=20&tag=a&name=3', ofTag.filter(({ name }) => name.startsWith('3'))],
    ] as const) {
      const search = `${query}&search=FOUND+her`;
      const ids = (await pagesOf(service, search)).flat().map(({ id }) => id);
      expect(ids, query).toEqual(expected.map(({ id }) => id));
      const { headers } = await service.send('GET', `/plants?total=true&${search}`);
      expect(headers.get('x-total-count'), query).toBe(String(expected.length));
    }
  });
});

describe('the index of searches', () => {
  test('is made by a start for the plants there are, and removed by one without it', async () => {
    const before = await startService();
    for (const plant of PLANTS) await before.create(plant);
    await before.stop();

    const on = await startSearched('on', before.database);
    const found = await idsOf(on, 'lyrata');
    await on.stop();
    const again = await startService({}, before.database);
    const created = await again.create({ id: 7, name: 'new lyrata' });
    await vi.waitUntil(() => again.log.some((line) => line.includes('The index plants_search is removed')));
    await again.stop();
    const last = await startSearched('on', before.database);

    expect(found).toEqual([1]);
    expect(created.status).toBe(200);
    expect(await idsOf(last, 'lyrata')).toEqual([1, 7]);
  });

  test.runIf(inject('database') === 'sqlite')(
    'is used if one word has three characters or more',
    async () => {
      const service = await storeOf(PLANTS, 'on');
      await service.database.execute('DROP TRIGGER plants_search_insert');
      await service.create({ id: 7, name: 'lyrata' });

      expect(await idsOf(service, 'lyrata')).toEqual([1]);
      expect(await idsOf(service, 'ly')).toEqual([1, 6, 7]);
      expect(await idsOf(service, 'lyrata ly')).toEqual([1]);
    },
  );

  test('is built while others write and search, and begins anew when that was not finished', async () => {
    const before = await startService();
    await storeManyPlants(before);
    await before.stop();
    const stopped = await startService({ SEARCH: 'on' }, before.database);
    await stopped.stop();
    // What a build leaves on PostgreSQL when it is killed.
    if (inject('database') === 'postgres')
      await before.database.execute(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('plants_search')",
      );

    const services = await Promise.all(
      (inject('database') === 'postgres' ? [1, 2] : [1]).map(() =>
        startService({ SEARCH: 'on' }, before.database),
      ),
    );
    const [service] = services as [Service];
    // The log of all services in a process is the one of the last.
    const areComplete = () =>
      services.flatMap(({ log }) => log.filter((line) => line.includes('is complete'))).length ===
      services.length;
    const expected = new Set<number>();
    for (let id = 1; !areComplete(); id += 2) {
      await service.send('PATCH', `/plants/${id}`, { body: { name: `renamed ${id}` } });
      await service.send('PUT', `/plants/${id + 100_000}`, { body: { name: 'renamed' } });
      await service.send('DELETE', `/plants/${id + 1}`);
      expected.add(id).add(id + 100_000);
      expect((await service.send('GET', '/plants?search=renamed')).status).toBe(200);
    }

    for (const each of services) {
      expect(await idsOf(each, 'renamed')).toEqual([...expected].toSorted((a, b) => a - b));
      const rest = (await each.plants()).filter(({ name }) => name.includes('nstera'));
      expect((await each.send('GET', '/plants/count?search=nstera')).body).toEqual({ count: rest.length });
    }
  });
});
