import { describe, expect, test } from 'vitest';
import { type Answer, type Service, startService } from './support/service.js';

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

const LONG = 'x'.repeat(64);

const PLANTS = [
  { id: -(2n ** 63n), name: 'Aloe', tag: 'succulent' },
  { id: -5n, name: 'Aloe vera', tag: 'succulent' },
  { id: 0n, name: 'aloe', tag: 'Succulent' },
  { id: 1n, name: '', tag: '' },
  { id: 2n, name: `${LONG}a`, tag: `${LONG}a` },
  { id: 3n, name: `${LONG}b`, tag: `${LONG}b` },
  { id: 10n, name: 'Al%e', tag: 'a b&c=d+e' },
  { id: 11n, name: 'Al_e' },
  { id: 100n, name: '草 \u{1F33F}', tag: '草' },
  { id: 101n, name: '\u{10FFFF}\u{10FFFF}' },
  { id: 102n, name: '\uD7FF!' },
  { id: 103n, name: '\uE000!' },
  { id: 2n ** 53n + 1n, name: 'Aloe', tag: 'tree' },
  { id: 2n ** 63n - 1n, name: 'Zamioculcas', tag: 'succulent' },
];

/** The plants with a name of a megabyte. */
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

    expect(text).toBe(
      `[${PLANTS.map(({ id, ...content }) => `{"id":${id},${JSON.stringify(content).slice(1)}`).join()}]`,
    );
  });

  test('filters by all that is asked for', async () => {
    const service = await startService();
    await store(service, PLANTS);
    const cases = [
      [{ tag: 'succulent' }, ({ tag }) => tag === 'succulent'],
      [{ tag: '' }, ({ tag }) => tag === ''],
      [{ tag: `${LONG}a` }, ({ id }) => id === 2n],
      [{ tag: LONG }, () => false],
      [{ tag: 'a b&c=d+e' }, ({ id }) => id === 10n],
      [{ tag: 'none' }, () => false],
      [{ name: 'Al' }, ({ name }) => name.startsWith('Al')],
      [{ name: 'Aloe' }, ({ name }) => name.startsWith('Aloe')],
      [{ name: '' }, () => true],
      [{ name: 'Al%' }, ({ id }) => id === 10n],
      [{ name: 'Al_' }, ({ id }) => id === 11n],
      [{ name: LONG }, ({ name }) => name.startsWith(LONG)],
      [{ name: `${LONG}a` }, ({ id }) => id === 2n],
      [{ name: '草' }, ({ id }) => id === 100n],
      [{ name: '草 \u{1F33F}' }, ({ id }) => id === 100n],
      [{ name: '\u{10FFFF}' }, ({ id }) => id === 101n],
      [{ name: '\uD7FF' }, ({ id }) => id === 102n],
      [{ name: 'Al', tag: 'succulent' }, ({ name, tag }) => name.startsWith('Al') && tag === 'succulent'],
      [{ name: '', tag: 'tree' }, ({ tag }) => tag === 'tree'],
      [{ after: '0' }, ({ id }) => id > 0n],
      [{ after: '-9223372036854775808' }, ({ id }) => id > -(2n ** 63n)],
      [{ after: '9223372036854775806' }, ({ id }) => id === 2n ** 63n - 1n],
      [{ after: '9223372036854775807' }, () => false],
      [{ after: '9007199254740992' }, ({ id }) => id > 2n ** 53n],
      [{ after: '9007199254740993', name: 'Aloe' }, () => false],
      [{ after: '-5', tag: 'succulent' }, ({ id }) => id === 2n ** 63n - 1n],
    ] satisfies [Record<string, string>, (plant: { id: bigint; name: string; tag?: string }) => boolean][];

    for (const [query, isWanted] of cases) {
      for (const limit of [1, 2, 1000]) {
        const answers = await pages(service, new URLSearchParams({ ...query, limit: `${limit}` }).toString());

        expect(answers.flatMap(idsOf), JSON.stringify(query)).toEqual(
          PLANTS.filter(isWanted).map(({ id }) => String(id)),
        );
        for (const answer of answers.slice(0, -1)) expect(idsOf(answer)).toHaveLength(limit);
      }
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
    const large = '\u0001'.repeat(100_000);
    for (let id = 1; id <= 200; id += 1) {
      await service.create({ id, name: isLarge(id) ? large : 'small', tag: isLarge(id) ? 'large' : 'small' });
    }
    const ids = Array.from({ length: 200 }, (_, index) => index + 1);

    const all = await pages(service, 'limit=1000');
    const some = await pages(service, 'limit=1000&name=%01%01&tag=large');

    expect(all.flatMap(idsOf)).toEqual(ids.map(String));
    expect(some.flatMap(idsOf)).toEqual(ids.filter(isLarge).map(String));
    for (const { text } of [...all, ...some]) expect(text.length).toBeLessThan(1_048_576 + 200 * 50);
    expect([all.length, some.length]).toEqual([20, 20]);
  });

  test('has a plant on a page of its own that is larger than a page', async () => {
    const service = await startService({ BODY_LIMIT: '4000000' });
    const large = 'x'.repeat(3_000_000);
    await store(service, [
      { id: 1, name: 'small' },
      { id: 2, name: large },
      { id: 3, name: 'small' },
    ]);

    expect((await pages(service, 'limit=1000')).map(idsOf)).toEqual([['1'], ['2'], ['3']]);
  });

  test('has links that are no longer than a request may be, and refuses longer filters', async () => {
    const service = await startService();
    const most = '\u{1F33F}'.repeat(512);
    await store(
      service,
      [1, 2].map((id) => ({ id, name: most, tag: most })),
    );
    const filters = new URLSearchParams({ limit: '1', name: most, tag: most });

    expect((await pages(service, filters.toString())).map(idsOf)).toEqual([['1'], ['2']]);
    for (const name of ['name', 'tag']) {
      const answer = await service.send('GET', `/plants?${name}=${'!'.repeat(513)}`);
      expect(answer).toMatchObject({ status: 400, body: { error: 40002 } });
    }
  });

  test('keeps the filters in its links, whatever they hold', async () => {
    const service = await startService();
    await store(
      service,
      [1, 2, 3].map((id) => ({ id, name: 'a&b=c d+e%20 草 <>"', tag: '"; rel="x' })),
    );

    const answers = await pages(
      service,
      new URLSearchParams({ limit: '1', name: 'a&b=c d+e%20 草 <>"', tag: '"; rel="x' }).toString(),
    );

    expect(answers.map(idsOf)).toEqual([['1'], ['2'], ['3']]);
  });

  test('answers HEAD alike, without the plants', async () => {
    const service = await startService();
    await store(service, PLANTS);

    const get = await service.send('GET', '/plants?limit=3');
    const head = await service.send('HEAD', '/plants?limit=3');

    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-length', 'link']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });
});
