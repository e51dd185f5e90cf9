import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PageQuery, readPage } from '../../src/kernel/resource/page.js';
import { type IndexColumn, indexedValue, type IndexScan } from '../../src/kernel/store/scans/index-scan.js';
import { GroupCommit } from '../../src/kernel/store/group-commit.js';
import { Rows } from '../../src/kernel/store/rows.js';
import { Garden, openGardens } from './gardens.js';
import { SplitSites } from './split-sites.js';

/** Few, so that rows are equal, or differ only behind what an index holds; byte by byte U+E000 is before the cactus. */
const TEXTS = '|a|ab|abc|abd|b|B|é,%b|%2C|\uD7FF|\uD7FFa|\uE000|🌵|🌵a|\u{10FFFF}'.split('|');
const INTEGERS = [-(2n ** 63n), -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];

const text = fc.constantFrom(...TEXTS);
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  id: fc.constantFrom(...INTEGERS.flatMap((id) => [id, BigInt.asIntN(64, id + 10n)])),
  name: text,
  note: fc.option(text),
  budget: fc.option(fc.constantFrom(...INTEGERS)),
  area: fc.option(fc.constantFrom(-1.5, 0, 0.1, 1e300)),
  isOpen: fc.option(fc.boolean()),
  openedAt: fc.option(fc.constantFrom(...[0, 1, 9_999_999_999_999].map((ms) => new Date(ms)))),
};
const anyGardens = fc.uniqueArray(
  fc.record(VALUES, { noNullPrototype: true }).map((row) => row as unknown as Garden),
  { selector: ({ id }) => id, maxLength: 40, size: 'max' },
);

const NAME = { first: 2, of: 'name' };
const NOTE = { first: 2, of: 'note' };
const ORDERS: readonly (readonly IndexColumn[])[] = [
  ['id'],
  [NAME, 'id'],
  [NOTE, NAME, 'id'],
  ['budget', 'id'],
  ['name', 'id'],
  ['openedAt', 'area', 'id'],
  ['isOpen', NOTE, 'id'],
];

const propertyOf = (column: IndexColumn) => (typeof column === 'string' ? column : column.of);

/** What an index holds of any value but null. */
function anyPlace(column: IndexColumn): fc.Arbitrary<unknown> {
  const property = propertyOf(column);
  const value = VALUES[property] ?? fc.constant(null);
  return value.filter((one) => one !== null).map((one) => indexedValue(column, { [property]: one }));
}

/** Any order, with values of its first columns, and a prefix or bounds of the next one. */
const anyRange: fc.Arbitrary<IndexScan> = fc
  .constantFrom(...ORDERS)
  .chain((order) => fc.record({ order: fc.constant(order), equal: fc.nat({ max: order.length - 1 }) }))
  .chain(({ order, equal }) => {
    const next = order[equal] ?? 'id';
    const orNone = (place: fc.Arbitrary<unknown>) => fc.option(place, { nil: undefined });
    const [prefix, bound] =
      typeof next === 'string'
        ? [fc.constant(undefined), orNone(anyPlace(next))]
        : [orNone(anyPlace(next)) as fc.Arbitrary<string | undefined>, fc.constant(undefined)];
    return fc.record({
      order: fc.constant(order),
      isDescending: fc.boolean(),
      equal: fc.tuple(...order.slice(0, equal).map(anyPlace)),
      prefix,
      least: bound,
      greatest: bound,
    });
  });

/** The ids of a range, by another way than the databases go. */
function idsOf(gardens: readonly Garden[], range: IndexScan): bigint[] {
  const { order, isDescending, equal = [], prefix = '', least, greatest } = range;
  return gardens
    .map((row) => order.map((column) => indexedValue(column, row)))
    .filter((places) => !places.includes(null))
    .filter((places) => equal.every((value, index) => compare(places[index], value) === 0))
    .filter((places) => prefix === '' || String(places[equal.length]).startsWith(prefix))
    .filter((places) => least === undefined || compare(places[equal.length], least) >= 0)
    .filter((places) => greatest === undefined || compare(places[equal.length], greatest) <= 0)
    .toSorted((one, other) => compareAll(one, other) * (isDescending === true ? -1 : 1))
    .map((places) => places.at(-1) as bigint);
}

function compareAll(a: readonly unknown[], b: readonly unknown[]): number {
  return a.map((value, index) => compare(value, b[index])).find((order) => order !== 0) ?? 0;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  const [one, other] = [a, b] as [number, number];
  return Number(one > other) - Number(one < other);
}

/** The ids on all pages of a range, from the first to the last. */
async function walk(rows: Rows<Garden>, range: IndexScan, limit: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  let query: PageQuery = { limit };
  for (;;) {
    const { items, next } = await readPage(rows, range, query);
    ids.push(...Array.from(items.text.matchAll(/"id":(-?\d+)/g), ([, id = '']) => BigInt(id)));
    if (next === undefined) return ids;
    query = { limit, after: next };
  }
}

test('any range has the pages and the count of a plain list, at one site and at two', async () => {
  const { rows, database, dataSource } = await openGardens();
  const split = new Rows(dataSource, Garden, new GroupCommit(1), new SplitSites(dataSource));
  const asked = fc.tuple(anyRange, fc.integer({ min: 1, max: 5 }));

  await fc.assert(
    fc.asyncProperty(
      anyGardens,
      fc.array(asked, { minLength: 5, maxLength: 10 }),
      async (gardens, ranges) => {
        await database.execute('DELETE FROM gardens');
        await Promise.all(gardens.map((row) => rows.change(row.id, () => row, true)));

        for (const [range, limit] of ranges) {
          const expected = idsOf(gardens, range);
          expect(await walk(rows, range, limit), fc.stringify(range)).toEqual(expected);
          expect(await walk(split, range, limit), fc.stringify(range)).toEqual(expected);
          expect(await rows.count(range, dataSource), fc.stringify(range)).toBe(expected.length);
        }
      },
    ),
    { numRuns: 25 },
  );
});

test.for([
  ['below the least one', { least: 10n }, '9'],
  ['above the greatest one of a descending range', { greatest: 20n, isDescending: true }, '21'],
] as const)('a cursor %s is refused', async ([, bounds, after]) => {
  const { rows } = await openGardens();
  const page = (cursor: string) =>
    readPage(rows, { order: ['budget', 'id'], ...bounds }, { limit: 1, after: cursor });

  await expect(page(`${after},1`)).rejects.toThrow('after must come from the Link of a page');
  await expect(page('15,1')).resolves.toMatchObject({ items: { text: '[]' } });
});
