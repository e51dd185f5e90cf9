import * as fc from 'fast-check';
import { describe, expect, inject, test, vi } from 'vitest';
import { plantStore } from '../../support/command-line.js';
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

const COMBINED = 'search cannot be combined with other filters and orders';

/** Starts a service with a search in which plants have these ids, names and tags. */
async function storeOf(plants: readonly object[]): Promise<Service> {
  const service = await startService({ SEARCH: 'on' });
  for (const plant of plants) await service.create(plant);
  return service;
}

/** Sends a search, and again as long as its index is being built. */
async function search(service: Service, path: string): Promise<Answer> {
  return vi.waitFor(async () => {
    const answer = await service.send('GET', path);
    expect(answer.status).not.toBe(503);
    return answer;
  });
}

async function idsOf(service: Service, words: string): Promise<unknown> {
  const { body, text } = await search(service, `/plants?limit=1000&search=${encodeURIComponent(words)}`);
  return Array.isArray(body) ? (body as { id: unknown }[]).map(({ id }) => id) : text;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

describe('GET /plants?search=', () => {
  test('finds the plants with every word somewhere in name or tag, whatever the case', async () => {
    const service = await storeOf(PLANTS);
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
    ];

    const found = [];
    for (const [words] of cases) {
      const { body } = await search(service, `/plants/count?search=${encodeURIComponent(words)}`);
      found.push([words, await idsOf(service, words), body]);
    }

    // `OR` is too short for a word.
    expect(found).toEqual(
      cases.map(([words, ids]) =>
        words.includes(' OR ')
          ? [words, expect.stringContaining('40002'), expect.objectContaining({ error: 40002 })]
          : [words, ids, { count: ids.length }],
      ),
    );
  });

  test('folds case as docs/api.md says, and nothing else', async () => {
    const isSqlite = inject('database') === 'sqlite';
    const cases: [name: string, words: string, isFound: boolean][] = [
      ['ÉLAN', 'élan', true],
      ['Élan', 'elan', false],
      ['e\u0301lan', 'élan', false],
      ['e\u0301lan', 'E\u0301LAN', true],
      ['Weiße', 'weisse', false],
      ['GROẞ', 'groß', true],
      ['ВИШНЯ', 'вишня', true],
      ['\u212Alimt', 'klimt', true],
      ['ΣΑΣς', 'ΣΑΣς', true],
      ['ΣΑΣς', 'σας', isSqlite],
      ['ΟΔΟΣ', 'οδος', isSqlite],
      ['\u017Fagt', 'sagt', isSqlite],
      ['50 \u00B5m³', '\u03BCm³', isSqlite],
      ['\u03D1\u03D5\u03D6\u03D0\u03F0\u03F1\u03F5', 'θφπβκρε', isSqlite],
      ['İstanbul', 'İstanbul', true],
      ['İstanbul', 'istanbul', !isSqlite],
      ['ISTANBUL', 'ıstanbul', false],
      ['\u13A0\u13A1\u13A2', '\uAB70\uAB71\uAB72', !isSqlite],
    ];
    const service = await storeOf(cases.map(([name], id) => ({ id, name })));

    const found: typeof cases = [];
    for (const [id, [name, words]] of cases.entries())
      found.push([name, words, ((await idsOf(service, words)) as number[]).includes(id)]);

    expect(found).toEqual(cases);
  });

  test('refuses what cannot be searched for', async () => {
    const service = await startService({ SEARCH: 'on' });

    for (const [query, message] of [
      ['ab', 'search must be 1 to 8 words of 3 to 64 characters'],
      ['🌵🌵', 'search must be 1 to 8 words'],
      ['', 'search must be 1 to 8 words'],
      ['abc de', 'search must be 1 to 8 words'],
      ['a'.repeat(65), 'search must be 1 to 8 words'],
      ['abc+'.repeat(9), 'search must be 1 to 8 words'],
      ['abc&search=def', 'search must be 1 to 8 words'],
      ['a%00bc', 'search must be 1 to 8 words'],
      ['abc&tag=x', COMBINED],
      ['abc&name=x', COMBINED],
      ['abc&sort=-id', COMBINED],
      ['abc&sort=name', COMBINED],
      ['abc&after=x', 'after must come from the Link of a page'],
    ] as const) {
      const { status, body } = await search(service, `/plants?search=${query}`);

      expect.soft(status, query).toBe(400);
      expect.soft(body, query).toEqual({ error: 40002, message: expect.stringContaining(message) });
    }
  });

  test('has pages, over ids of which few and many match', async () => {
    const service = await startService({ SEARCH: 'on' });
    const lines = Array.from({ length: 10_000 }, (_, id) =>
      JSON.stringify({ id: id - 5_000, name: id % 400 < 20 || id > 9_000 ? 'found here' : 'other' }),
    );
    await service.send('POST', '/plants/import', {
      body: lines.join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });

    const expected = lines.flatMap((line, id) => (line.includes('found') ? [id - 5_000] : []));
    const ids: number[] = [];
    let path: string | undefined = '/plants?limit=333&search=FOUND+her&total=true';
    while (path !== undefined) {
      const { body, headers }: Answer = await search(service, path);
      expect(headers.get('x-total-count')).toBe(String(expected.length));
      ids.push(...(body as { id: number }[]).map(({ id }) => id));
      const next: string | undefined = /^<(.*)>/.exec(headers.get('link') ?? '')?.[1];
      path = next === undefined ? undefined : `/plants${next}`;
    }

    expect(ids).toEqual(expected);
  });

  test('finds what a model finds, while plants change through the service and past it', async () => {
    const service = await storeOf([]);
    const text = fc.string({
      unit: fc.constantFrom('a', 'A', 'b', 'é', 'É', '"', '%', ' ', '\n', '🌵'),
      minLength: 1,
      maxLength: 8,
    });
    const plants = new Map<number, string>();
    const change = fc.record({ id: fc.integer({ min: -3, max: 3 }), name: text, how: fc.nat(3) });

    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), text, async (changes, words) => {
        for (const { id, name, how } of changes) {
          if (how === 0) await service.send('PUT', `/plants/${id}`, { body: { name } });
          else if (how === 1) await service.send('DELETE', `/plants/${id}`);
          else if (how === 2) await service.send('PATCH', `/plants/${id}`, { body: { name } });
          else await service.database.execute(`UPDATE plants SET name = ${quoted(name)} WHERE id = ${id}`);
          if (how === 1) plants.delete(id);
          else if (how === 0 || plants.has(id)) plants.set(id, name);
        }
        const searched = words.split(/\s+/).filter((word) => Array.from(word).length >= 3);
        if (searched.length === 0) return;

        const expected = [...plants]
          .filter(([, name]) => searched.every((word) => name.toLowerCase().includes(word.toLowerCase())))
          .map(([id]) => id)
          .toSorted((a, b) => a - b);
        expect(await idsOf(service, searched.join(' '))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('is made by a start for the plants there are, and removed by one without it', async () => {
    const before = await startService();
    for (const plant of PLANTS) await before.create(plant);
    const off = await before.send('GET', '/plants?search=lyrata');
    await before.stop();

    const on = await startService({ SEARCH: 'on' }, before.database);
    const found = await idsOf(on, 'lyrata');
    await on.stop();
    const doctor = await plantStore(before.database, ['doctor']);
    const again = await startService({}, before.database);
    const created = await again.create({ id: 7, name: 'new lyrata' });
    await vi.waitUntil(() => again.log.some((line) => line.includes('The index plants_search is removed')));
    await again.stop();
    const last = await startService({ SEARCH: 'on' }, before.database);

    expect(off.body).toMatchObject({
      error: 40002,
      message: expect.stringContaining('search needs the setting SEARCH=on'),
    });
    expect(found).toEqual([1]);
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect(doctor.stdout).toMatch(/^ok +schema /m);
    expect(created.status).toBe(200);
    expect(await idsOf(last, 'lyrata')).toEqual([1, 7]);
  });

  test('is built while others write, and begins anew when that was not finished', async () => {
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
    const expected = new Set<number>();
    for (let id = 1, status = 503; status === 503; id += 2) {
      await service.send('PATCH', `/plants/${id}`, { body: { name: `renamed ${id}` } });
      await service.send('PUT', `/plants/${id + 100_000}`, { body: { name: 'renamed' } });
      await service.send('DELETE', `/plants/${id + 1}`);
      expected.add(id).add(id + 100_000);
      ({ status } = await service.send('GET', '/plants?search=renamed'));
    }

    for (const each of services) {
      expect(await idsOf(each, 'renamed')).toEqual([...expected].toSorted((a, b) => a - b));
      const rest = (await each.plants()).filter(({ name }) => name.includes('nstera'));
      expect((await search(each, '/plants/count?search=nstera')).body).toEqual({ count: rest.length });
    }
  });
});
