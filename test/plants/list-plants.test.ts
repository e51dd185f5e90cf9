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
    expect(answer.headers.get('x-next-after')).toBe(url?.searchParams.get('after') ?? null);
    next = url && url.pathname + url.search;
  }
  return answers;
}

interface Plant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** In ascending id. */
const PLANTS: readonly Plant[] = [
  { id: -(2n ** 63n), name: 'Aloe', tag: 'succulent' },
  { id: -5n, name: 'Aloe vera', tag: 'succulent' },
  { id: 0n, name: 'aloe', tag: 'Succulent' },
  { id: 1n, name: '', tag: '' },
  { id: 12n, name: 'Al,e%2C &+"<>', tag: 'a b&c=d+e,' },
  { id: 100n, name: '草 \u{1F33F}', tag: '草' },
  { id: 2n ** 53n + 1n, name: 'Aloe', tag: 'tree' },
  { id: 2n ** 53n + 2n, name: 'Aloe', tag: 'succulent' },
  { id: 2n ** 63n - 1n, name: 'Zamioculcas' },
];

function aloe(id: number) {
  return { id, name: `Aloe ${id}`, tag: 'succulent' };
}

/** The plants with a name of 96 KiB in JSON. */
function isLarge(id: number): boolean {
  return id % 2 === 0 && id <= 40;
}

describe('GET /plants', () => {
  test('answers the plants in ascending id, exactly, with their tags if they have any', async () => {
    const service = await startService();
    await store(service, PLANTS.toReversed());

    const { text, headers } = await service.send('GET', '/plants');

    expect(headers.has('link')).toBe(false);
    expect(headers.get('cache-control')).toBe('no-store');

    expect(withoutOtherFields(text.replaceAll(',\n', ','))).toBe(
      `[${PLANTS.map(({ id, ...content }) => `{"id":${id},${JSON.stringify(content).slice(1)}`).join()}]`,
    );
  });

  test('filters and sorts, by name and then id, and a count says how many there are', async () => {
    const service = await startService();
    await store(service, PLANTS);

    for (const [filter, expected] of [
      ['tag=succulent', [0, 7, 1]],
      ['tag=', [3]],
      ['tag=a+b%26c%3Dd%2Be%2C&name=Al%2Ce%252C+%26%2B%22%3C%3E', [4]],
      ['tag=none', []],
      ['name=', [3, 4, 0, 6, 7, 1, 8, 2, 5]],
      ['name=Aloe', [0, 6, 7, 1]],
      ['name=Aloe&tag=succulent', [0, 7, 1]],
      ['sort=id', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
      ['sort=-id', [8, 7, 6, 5, 4, 3, 2, 1, 0]],
      ['sort=name', [3, 4, 0, 6, 7, 1, 8, 2, 5]],
      ['sort=-name', [5, 2, 8, 1, 7, 6, 0, 4, 3]],
      ['sort=-name&tag=succulent', [1, 7, 0]],
      ['sort=-name&name=Aloe', [1, 7, 6, 0]],
      ['sort=-name&name=Aloe&tag=succulent', [1, 7, 0]],
    ] as const) {
      const answers = await pages(service, `${filter}&limit=2&total=true`);
      const count = await service.send('GET', `/plants/count?${filter.replace(/sort=[^&]*&?/, '')}`);

      expect(answers.flatMap(idsOf), filter).toEqual(expected.map((index) => String(PLANTS[index]?.id)));
      expect(count.body).toEqual({ count: expected.length });
      for (const { headers } of answers) expect(headers.get('x-total-count')).toBe(String(expected.length));
    }
  });

  test.for([
    ['separated by commas', ','],
    ['each in a parameter of its own', '&ids='],
  ])('finds plants by their ids, in this order, each once: %s', async ([, separator]) => {
    const service = await startService();
    await store(service, PLANTS);
    const list = (others: number) => {
      const ids = [
        '9223372036854775807',
        12,
        7,
        ...Array.from({ length: others }, (_, id) => 1_000 + id),
        12,
      ];
      return service.send('GET', `/plants?ids=${ids.join(separator)}`);
    };

    expect((await list(97)).status).toBe(400);
    const few = await list(96);
    expect(few).toMatchObject({ status: 200 });
    expect(idsOf(few)).toEqual(['9223372036854775807', '12']);
    expect(withoutOtherFields(few.text)).toBe(
      `[{"id":9223372036854775807,"name":"Zamioculcas"},{"id":12,"name":"Al,e%2C &+\\"<>","tag":"a b&c=d+e,"}]`,
    );
  });

  test('has a total that others wait for, and that waits for its turn', async () => {
    const service = await startService();
    await service.database.execute(`INSERT INTO plants (id, name) VALUES (1, 'Aloe')`);

    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => service.send('GET', '/plants?total=true')),
    );

    for (const { status, headers } of answers)
      expect([status, headers.get('x-total-count')]).toEqual([200, '1']);
  });

  test('goes on behind the last plant of a page, though that is gone and others have come', async () => {
    const service = await startService();

    for (const filter of ['', 'name=Aloe', 'tag=succulent', 'name=Al&tag=succulent']) {
      await service.database.execute('DELETE FROM plants');
      await store(service, [10, 20, 30, 40, 50, 60].map(aloe));

      const first = await service.send('GET', `/plants?limit=3&${filter}`);
      for (const id of [30, 40]) await service.send('DELETE', `/plants/${id}`);
      await store(service, [15, 29, 31, 45].map(aloe));
      const [, next = ''] = /^<(\?[^>]*)>/.exec(first.headers.get('link') ?? '') ?? [];

      expect(idsOf(first), filter).toEqual(['10', '20', '30']);
      expect((await pages(service, next.slice(1))).flatMap(idsOf)).toEqual(['31', '45', '50', '60']);
    }
  });

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
    const ids = Array.from({ length: 60 }, (_, index) => index + 1);
    await store(
      service,
      ids.map((id) => (isLarge(id) ? { id, name: large, tag: 'large' } : { id, name: 'small' })),
    );

    const all = await pages(service, 'limit=1000');
    const some = await pages(service, 'limit=1000&name=%01%01&tag=large');
    const byIds = await pages(service, `ids=${ids.toReversed().join()}`);

    expect(all.flatMap(idsOf)).toEqual(ids.map(String));
    expect(byIds.flatMap(idsOf)).toEqual(ids.toReversed().map(String));
    expect(some.flatMap(idsOf)).toEqual(ids.filter(isLarge).map(String));
    for (const { text } of [...all, ...some, ...byIds]) expect(text.length).toBeLessThan(1_048_576 + 60 * 50);
    expect([all.length, some.length, byIds.length]).toEqual([2, 2, 2]);
  });
});
