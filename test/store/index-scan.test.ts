import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PageQuery, readPage } from '../../src/resource/page.js';
import { type IndexColumn, indexedValue, type IndexScan } from '../../src/store/scans/index-scan.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { Garden, openGardens } from './gardens.js';
import { SplitSites } from './split-sites.js';

/** The ids on all pages of a range, from the first to the last. */
async function walk(rows: Rows<Garden>, range: IndexScan, limit: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  let query: PageQuery = { limit };
  for (;;) {
    const { items, next } = await readPage(rows, range, query);
    ids.push(...idsIn(items.text));
    if (next === undefined) return ids;
    query = { limit, after: next };
  }
}

function idsIn(text = ''): bigint[] {
  return Array.from(text.matchAll(/"id":(-?\d+)/g), ([, id = '']) => BigInt(id));
}

/** Few, so that rows are equal, or differ only behind what an index holds; byte by byte U+E000 is before the cactus. */
const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'abd',
  'b',
  'B',
  'é,%b',
  '%2C',
  '\uD7FF',
  '\uD7FFa',
  '\uE000',
  '🌵',
  '🌵a',
  '\u{10FFFF}',
];
const INTEGERS = [-(2n ** 63n), -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const TIMES = [0, 1, 9_999_999_999_999].map((ms) => new Date(ms));

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  id: INTEGERS.flatMap((id) => [id, BigInt.asIntN(64, id + 10n)]),
  name: TEXTS,
  note: TEXTS,
  budget: INTEGERS,
  area: [-1.5, 0, 0.1, 1e300],
  isOpen: [false, true],
  openedAt: TIMES,
};

const anyOf = (property: string) => fc.constantFrom(...(VALUES[property] ?? []));
const maybeAnyOf = (property: string) => fc.option(anyOf(property));

const anyGarden = fc
  .record({
    id: anyOf('id'),
    name: anyOf('name'),
    note: maybeAnyOf('note'),
    budget: maybeAnyOf('budget'),
    area: maybeAnyOf('area'),
    isOpen: maybeAnyOf('isOpen'),
    openedAt: maybeAnyOf('openedAt'),
    plan: fc.constant(null),
  })
  .map((row) => row as Garden);

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

/** What an index holds of any value. */
function anyPlace(column: IndexColumn): fc.Arbitrary<unknown> {
  const property = propertyOf(column);
  return anyOf(property).map((value) => indexedValue(column, { [property]: value }));
}

const anyRange: fc.Arbitrary<IndexScan> = fc.constantFrom(...ORDERS).chain((order) =>
  fc.nat({ max: order.length - 1 }).chain((equal) => {
    const next = order[equal] ?? 'id';
    const isText = typeof next !== 'string';
    const bound = isText ? fc.constant(undefined) : fc.option(anyPlace(next), { nil: undefined });
    return fc.record({
      order: fc.constant(order),
      isDescending: fc.boolean(),
      equal: fc.tuple(...order.slice(0, equal).map(anyPlace)),
      prefix: isText
        ? fc.option(fc.constantFrom(...TEXTS.map((text) => firstOf(text, 2))), { nil: undefined })
        : fc.constant(undefined),
      least: bound,
      greatest: bound,
    });
  }),
);

function firstOf(text: string, count: number): string {
  return Array.from(text).slice(0, count).join('');
}

/** The rows of a range, by another way than the databases go. */
function rowsOf(
  gardens: readonly Garden[],
  { order, isDescending, equal = [], prefix = '', least, greatest }: IndexScan,
): Garden[] {
  const sign = isDescending === true ? -1 : 1;
  const placesOf = (row: Garden) => order.map((column) => indexedValue(column, row));
  return gardens
    .filter((row) => order.every((column) => row[propertyOf(column) as keyof Garden] !== null))
    .filter((row) => compareAll(placesOf(row).slice(0, equal.length), equal) === 0)
    .filter((row) => prefix === '' || String(placesOf(row)[equal.length]).startsWith(prefix))
    .filter((row) => least === undefined || compare(placesOf(row)[equal.length], least) >= 0)
    .filter((row) => greatest === undefined || compare(placesOf(row)[equal.length], greatest) <= 0)
    .toSorted((a, b) => compareAll(placesOf(a), placesOf(b)) * sign);
}

function compareAll(a: readonly unknown[], b: readonly unknown[]): number {
  return a.map((value, index) => compare(value, b[index])).find((order) => order !== 0) ?? 0;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  const [one, other] = [a, b] as [number, number];
  return Number(one > other) - Number(one < other);
}

test('a range of rows is counted, merged from two sites, and its pages lead through it, as a plain list says, whatever its order and bounds', async () => {
  const { rows, database, dataSource } = await openGardens();
  const gardens = fc.uniqueArray(anyGarden, { selector: ({ id }) => id, maxLength: 40, size: 'max' });
  const split = new Rows(dataSource, Garden, new GroupCommit(1), new SplitSites(dataSource));
  const ranges = fc.array(fc.tuple(anyRange, fc.integer({ min: 1, max: 5 })), {
    minLength: 5,
    maxLength: 10,
  });

  await fc.assert(
    fc.asyncProperty(gardens, ranges, async (all, asked) => {
      await database.execute('DELETE FROM gardens');
      await Promise.all(all.map((row) => rows.change(row.id, () => row, true)));

      for (const [range, limit] of asked) {
        const expected = rowsOf(all, range).map(({ id }) => id);
        expect(await walk(rows, range, limit), fc.stringify(range)).toEqual(expected);
        expect(await rows.count(range, dataSource), fc.stringify(range)).toBe(expected.length);
        expect(await walk(split, range, limit), fc.stringify(range)).toEqual(expected);
      }
    }),
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
