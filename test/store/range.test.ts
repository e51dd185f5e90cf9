import * as fc from 'fast-check';
import type { ObjectLiteral } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.js';
import { type IndexColumn, placeOf, type Range } from '../../src/store/range.js';
import { Rows } from '../../src/store/rows.js';
import { Garden, garden, openGardens } from './gardens.js';

async function openRows() {
  const opened = await openGardens();
  return { ...opened, rows: new Rows(opened.dataSource, Garden, new GroupCommit(4096)) };
}

async function insertAll(rows: Rows<Garden>, gardens: readonly Garden[]): Promise<void> {
  await Promise.all(gardens.map((row) => rows.insert(row, (current) => current)));
}

async function sum(counts: AsyncIterable<number>): Promise<number> {
  let total = 0;
  for await (const count of counts) total += count;
  return total;
}

async function idsOf(found: AsyncIterable<ObjectLiteral[]>): Promise<bigint[][]> {
  const ids: bigint[][] = [];
  for await (const some of found) ids.push(some.map(({ id }) => BigInt(id as string)));
  return ids;
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
  'é',
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
  isShady: [false, true],
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
    area: anyOf('area'),
    isShady: maybeAnyOf('isShady'),
    openedAt: anyOf('openedAt'),
  })
  .map((members) => garden(members.id as bigint, members as Partial<Garden>));

const NAME = { first: 2, of: 'name' };
const NOTE = { first: 2, of: 'note' };

const ORDERS: readonly (readonly IndexColumn[])[] = [
  ['id'],
  [NAME, 'id'],
  [NOTE, NAME, 'id'],
  ['budget', 'id'],
  ['openedAt', 'area', 'id'],
  ['isShady', NOTE, 'id'],
];

const propertyOf = (column: IndexColumn) => (typeof column === 'string' ? column : column.of);

/** What an index holds of any value. */
function anyPlace(column: IndexColumn): fc.Arbitrary<unknown> {
  const property = propertyOf(column);
  return anyOf(property).map((value) => placeOf(column, { [property]: value }));
}

const anyRange: fc.Arbitrary<Range> = fc
  .constantFrom(...ORDERS)
  .chain((order) =>
    fc.nat({ max: order.length - 1 }).chain((equal) => {
      const isText = typeof order[equal] !== 'string';
      return fc.record({
        order: fc.constant(order),
        isDescending: fc.boolean(),
        equal: fc.tuple(...order.slice(0, equal).map(anyPlace)),
        prefix: isText
          ? fc.option(fc.constantFrom(...TEXTS.map((text) => firstOf(text, 2))), { nil: undefined })
          : fc.constant(undefined),
        after: fc.option(fc.tuple(...order.slice(equal).map(anyPlace)), { nil: undefined }),
      });
    }),
  )
  .filter(({ prefix = '', after }) => after === undefined || String(after[0]).startsWith(prefix));

function firstOf(text: string, count: number): string {
  return Array.from(text).slice(0, count).join('');
}

/** The rows of a range, by another way than the databases go. */
function rowsOf(
  gardens: readonly Garden[],
  { order, isDescending, equal = [], prefix = '', after }: Range,
): Garden[] {
  const sign = isDescending === true ? -1 : 1;
  const placesOf = (row: Garden) => order.map((column) => placeOf(column, row));
  return gardens
    .filter((row) => order.every((column) => row[propertyOf(column) as keyof Garden] !== null))
    .filter((row) => compareAll(placesOf(row).slice(0, equal.length), equal) === 0)
    .filter((row) => prefix === '' || String(placesOf(row)[equal.length]).startsWith(prefix))
    .filter((row) => after === undefined || compareAll(placesOf(row).slice(equal.length), after) === sign)
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

describe('a range of rows', () => {
  test('is read and counted as a plain list would be, whatever its order, its bounds and the place where it goes on', async () => {
    const { rows, database, dataSource } = await openRows();
    const gardens = fc.uniqueArray(anyGarden, { selector: ({ id }) => id, maxLength: 40, size: 'max' });
    const ranges = fc.array(fc.tuple(anyRange, fc.integer({ min: 1, max: 5 })), {
      minLength: 5,
      maxLength: 10,
    });

    await fc.assert(
      fc.asyncProperty(gardens, ranges, async (all, asked) => {
        await database.execute('DELETE FROM gardens');
        await insertAll(rows, all);

        for (const [range, wanted] of asked) {
          const found = await idsOf(rows.read(range, wanted));
          expect(found.flat(), fc.stringify(range)).toEqual(rowsOf(all, range).map(({ id }) => id));
          const counted = await sum(rows.count(range, dataSource, wanted));
          expect(counted, fc.stringify(range)).toBe(found.flat().length);
        }
      }),
      { numRuns: 100 },
    );
  });
});
