import { describe, expect, test } from 'vitest';
import { withoutOtherFields } from '../support/plants.js';
import { type Answer, type Service, startService } from '../support/service.js';

async function store(
  service: Service,
  plants: readonly { id: bigint | number; name: string; tag?: string }[],
) {
  const answers = await Promise.all(
    plants.map(async ({ id, ...content }) => service.send('PUT', `/plants/${id}`, { body: content })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
}

/** The ids of a page, with all their digits. */
function idsOf({ text }: Answer): string[] {
  return [...text.matchAll(/"id":(-?\d+)/g)].map(([, id = '']) => id);
}

/** All pages, by way of their links. */
async function pages(service: Service, query: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let next: string | undefined = `/plants?${query}`; next !== undefined;) {
    const answer = await service.send('GET', next);
    expect(answer.status).toBe(200);
    answers.push(answer);
    const [, target] = /^<([^>]*)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
    const url: URL | undefined = target === undefined ? undefined : new URL(target, service.url + next);
    next = url && url.pathname + url.search;
  }
  return answers;
}

interface Plant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** As many characters as an index holds. */
const LONG = 'x'.repeat(64);
const LEAVES = '\u{1F33F}'.repeat(64);

/** In ascending id. */
const PLANTS: readonly Plant[] = [
  { id: INT64_MIN, name: 'Aloe', tag: 'succulent' },
  { id: -5n, name: 'Aloe vera', tag: 'succulent' },
  { id: 0n, name: 'aloe', tag: 'Succulent' },
  { id: 1n, name: '', tag: '' },
  { id: 2n, name: `${LONG}b`, tag: `${LONG}a` },
  { id: 3n, name: `${LONG}a`, tag: LONG.slice(1) },
  { id: 4n, name: LONG, tag: LONG },
  { id: 5n, name: LONG.slice(1), tag: LONG.slice(1) },
  { id: 6n, name: `${LEAVES}b`, tag: LEAVES.slice(2) },
  { id: 7n, name: `${LEAVES}a`, tag: LEAVES.slice(2) },
  { id: 10n, name: 'Al%e', tag: 'a b&c=d+e' },
  { id: 11n, name: 'Al_e' },
  { id: 12n, name: 'Al,e', tag: ',' },
  { id: 13n, name: 'Al%2Ce', tag: ',' },
  { id: 14n, name: 'Al~e+ \t\n"\\', tag: ',' },
  { id: 15n, name: ',', tag: ',' },
  { id: 16n, name: ',1', tag: ',' },
  { id: 100n, name: '草 \u{1F33F}', tag: '草' },
  { id: 101n, name: '\u{10FFFF}\u{10FFFF}', tag: '\u{10FFFF}' },
  { id: 102n, name: '\uD7FF!', tag: '\u{10FFFF}' },
  { id: 103n, name: '\uE000!', tag: '\u{10FFFF}' },
  { id: 104n, name: '\uFFFF', tag: '\u{10FFFF}' },
  { id: 2n ** 53n + 1n, name: 'Aloe', tag: 'tree' },
  { id: 2n ** 53n + 2n, name: 'Aloe', tag: 'succulent' },
  { id: INT64_MAX, name: 'Zamioculcas', tag: 'succulent' },
];

/** The order of lists with a filter: the first 64 characters of the names byte by byte, then the ids. */
function byName(a: Plant, b: Plant): number {
  return Buffer.compare(indexed(a), indexed(b)) || (a.id < b.id ? -1 : 1);
}

function indexed({ name }: Plant): Buffer {
  return Buffer.from(Array.from(name).slice(0, 64).join(''));
}

/** Filters, with the plants that have to come of them. */
const FILTERS: readonly [Readonly<Record<string, string>>, (plant: Plant) => boolean][] = [
  [{ tag: 'succulent' }, ({ tag }) => tag === 'succulent'],
  [{ tag: '' }, ({ tag }) => tag === ''],
  [{ tag: LONG.slice(1) }, ({ id }) => id === 3n || id === 5n],
  [{ tag: LEAVES.slice(2) }, ({ id }) => id === 6n || id === 7n],
  [{ tag: LONG.slice(2) }, () => false],
  [{ tag: 'a b&c=d+e' }, ({ id }) => id === 10n],
  [{ tag: ',' }, ({ tag }) => tag === ','],
  [{ tag: '\u{10FFFF}' }, ({ tag }) => tag === '\u{10FFFF}'],
  [{ tag: 'none' }, () => false],
  [{ name: '' }, () => true],
  [{ name: 'Al' }, ({ name }) => name.startsWith('Al')],
  [{ name: 'Aloe' }, ({ name }) => name.startsWith('Aloe')],
  [{ name: 'Al%' }, ({ name }) => name.startsWith('Al%')],
  [{ name: 'Al_' }, ({ id }) => id === 11n],
  [{ name: ',' }, ({ name }) => name.startsWith(',')],
  [{ name: LONG }, ({ name }) => name.startsWith(LONG)],
  [{ name: LEAVES }, ({ name }) => name.startsWith(LEAVES)],
  [{ name: '草' }, ({ id }) => id === 100n],
  [{ name: '草 \u{1F33F}' }, ({ id }) => id === 100n],
  [{ name: '\u{10FFFF}' }, ({ id }) => id === 101n],
  [{ name: '\uD7FF' }, ({ id }) => id === 102n],
  [{ name: '\uFFFF' }, ({ id }) => id === 104n],
  [{ name: 'Al', tag: 'succulent' }, ({ name, tag }) => name.startsWith('Al') && tag === 'succulent'],
  [{ name: 'Al', tag: ',' }, ({ name, tag }) => name.startsWith('Al') && tag === ','],
  [{ name: '\u{10FFFF}', tag: '\u{10FFFF}' }, ({ id }) => id === 101n],
  [{ name: '', tag: 'tree' }, ({ tag }) => tag === 'tree'],
];

function aloe(id: number) {
  return { id, name: `Aloe ${id}`, tag: 'succulent' };
}

/** The plants with a name of 96 KiB in JSON. */
function isLarge(id: number): boolean {
  return id % 2 === 0 && id <= 40;
}

describe('GET /plants', () => {
  test('answers an empty array when there is nothing', async () => {
    const service = await startService();

    const answer = await service.send('GET', '/plants');

    expect(answer).toMatchObject({ status: 200, text: '[]' });
    expect(answer.headers.has('link')).toBe(false);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('answers the plants in ascending id, exactly, with their tags if they have any', async () => {
    const service = await startService();
    await store(service, PLANTS.toReversed());

    const { text } = await service.send('GET', '/plants');

    expect(withoutOtherFields(text)).toBe(
      `[${PLANTS.map(({ id, ...content }) => `{"id":${id},${JSON.stringify(content).slice(1)}`).join()}]`,
    );
  });

  test('filters by all that is asked for, in ascending name and then id, and a count does so too', async () => {
    const service = await startService();
    await store(service, PLANTS);

    for (const [filter, isWanted] of FILTERS) {
      const ids = PLANTS.filter(isWanted)
        .toSorted(byName)
        .map(({ id }) => String(id));
      for (const limit of [1, 2, 1000]) {
        const answers = await pages(
          service,
          new URLSearchParams({ ...filter, limit: `${limit}` }).toString(),
        );

        expect(answers.flatMap(idsOf), JSON.stringify(filter)).toEqual(ids);
        for (const answer of answers.slice(0, -1)) expect(idsOf(answer)).toHaveLength(limit);
      }
      const { body } = await service.send('GET', `/plants/count?${new URLSearchParams(filter).toString()}`);
      expect(body, JSON.stringify(filter)).toEqual({ count: ids.length });
    }
  });

  test('links with the place of the last plant of a page in the order of the list', async () => {
    const service = await startService();
    await store(service, PLANTS);
    const cases = [
      ['', '-5'],
      ['&name=Aloe', 'Aloe%2C9007199254740993'],
      ['&tag=succulent', 'Aloe%2520vera%2C-5'],
      ['&tag=%2C&name=Al', 'Al%25252Ce%2C13'],
      ['&name=%F0%9F%8C%BF', `${'%25F0%259F%258C%25BF'.repeat(64)}%2C6`],
    ] as const;

    for (const [filter, place] of cases) {
      const links = (await pages(service, `limit=1${filter}`)).map(({ headers }) => headers.get('link'));

      expect(links, filter).toContain(`<?limit=1${filter}&after=${place}>; rel="next"`);
    }
  });

  test('goes on from a place that no plant of the list has', async () => {
    const service = await startService();
    await store(service, PLANTS);
    const cases = [
      ['after=9', ['10', '11', '12']],
      ['after=9007199254740992', ['9007199254740993', '9007199254740994', '9223372036854775807']],
      ['name=Al&after=Aloe,0', ['9007199254740993', '9007199254740994', '-5']],
      // Right in front of a plant that is not in the list.
      ['tag=succulent&after=Alo,0', ['-9223372036854775808', '9007199254740994', '-5']],
      ['name=Alo&tag=tree&after=Alo,0', ['9007199254740993']],
      [`name=${LONG}&after=${LONG}x,0`, []],
    ] as const;

    for (const [query, ids] of cases)
      expect(idsOf(await service.send('GET', `/plants?limit=3&${query}`)), query).toEqual(ids);
  });

  test.for(['', 'name=Aloe', 'tag=succulent', 'name=Al&tag=succulent'])(
    'goes on behind the last plant of a page by "%s", though that is gone and others have come',
    async (filter) => {
      const service = await startService();
      await store(service, [10, 20, 30, 40, 50, 60].map(aloe));

      const first = await service.send('GET', `/plants?limit=3&${filter}`);
      for (const id of [30, 40]) await service.send('DELETE', `/plants/${id}`);
      await store(service, [15, 29, 31, 45].map(aloe));
      const [, next = ''] = /^<(\?[^>]*)>/.exec(first.headers.get('link') ?? '') ?? [];

      expect(idsOf(first)).toEqual(['10', '20', '30']);
      expect((await pages(service, next.slice(1))).flatMap(idsOf)).toEqual(['31', '45', '50', '60']);
    },
  );

  test('has pages of 100, of 1000 at most, and a link only where there is more', async () => {
    const service = await startService();
    await service.database.execute(
      `INSERT INTO plants (id, name) VALUES ${Array.from({ length: 1001 }, (_, id) => `(${id}, 'Aloe')`).join()}`,
    );

    const byDefault = await service.send('GET', '/plants');
    const sizes = async (query: string) => (await pages(service, query)).map((page) => idsOf(page).length);

    expect(idsOf(byDefault)).toHaveLength(100);
    expect(byDefault.headers.get('link')).toBe('<?limit=100&after=99>; rel="next"');
    expect(await sizes('limit=1000')).toEqual([1000, 1]);
    expect(await sizes('limit=91')).toEqual(Array.from({ length: 11 }, () => 91));
    expect(await sizes('limit=1000&after=0')).toEqual([1000]);
    expect(await sizes('limit=600&name=A')).toEqual([600, 401]);
  });

  test('ends a page early when its plants are large, and the link goes on', async () => {
    const service = await startService();
    // As JSON, each of these characters takes six bytes.
    const large = '\u0001'.repeat(16_384);
    for (let id = 1; id <= 200; id += 1) {
      await service.create({ id, name: isLarge(id) ? large : 'small', tag: isLarge(id) ? 'large' : 'small' });
    }
    const ids = Array.from({ length: 200 }, (_, index) => index + 1);

    const all = await pages(service, 'limit=1000');
    const some = await pages(service, 'limit=1000&name=%01%01&tag=large');

    expect(all.flatMap(idsOf)).toEqual(ids.map(String));
    expect(some.flatMap(idsOf)).toEqual(ids.filter(isLarge).map(String));
    for (const { text } of [...all, ...some]) expect(text.length).toBeLessThan(1_048_576 + 200 * 50);
    expect([all.length, some.length]).toEqual([2, 2]);
  });
});
