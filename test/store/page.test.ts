import { expect, test } from 'vitest';
import { readPage } from '../../src/resource/page.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import type { Range } from '../../src/store/range.js';
import { Rows } from '../../src/store/rows.js';
import { beforeStatements, Garden, garden, openGardens } from './gardens.js';

/** Stores rows, and lets something happen between the first two statements that read them. */
async function rowsOf(gardens: readonly Garden[], change?: string): Promise<Rows<Garden>> {
  const { dataSource, database } = await openGardens();
  const rows = new Rows(dataSource, Garden, new GroupCommit(4096));
  await Promise.all(gardens.map((row) => rows.insert(row, (current) => current)));
  let count = 0;
  beforeStatements(dataSource, async () => {
    count += 1;
    if (count === 2 && change !== undefined) await database.execute(change);
  });
  return rows;
}

/** The ids on each page of a range, from the first to the last. */
async function walk(rows: Rows<Garden>, range: Range, limit: number): Promise<bigint[][]> {
  const pages: bigint[][] = [];
  let after: string | undefined;
  do {
    const { items, next } = await readPage(rows, range, { limit, ...(after !== undefined && { after }) });
    pages.push(Array.from(items.text.matchAll(/"id":(-?\d+)/g), ([, id = '']) => BigInt(id)));
    after = next;
  } while (after !== undefined);
  return pages;
}

test.for<[string, Range, bigint[]]>([
  ['an int64', { order: ['budget', 'id'] }, [3n, 2n, 1n]],
  ['a number', { order: ['area', 'id'] }, [1n, 3n, 2n]],
  ['a time', { order: ['openedAt', 'id'] }, [2n, 1n, 3n]],
  ['a truth value', { order: ['isOpen', 'id'] }, [2n, 1n, 3n]],
  ['the beginning of a text', { order: [{ first: 2, of: 'name' }, 'id'] }, [3n, 1n, 2n]],
  ['a text, the other way round', { order: ['name', 'id'], isDescending: true }, [1n, 2n, 3n]],
])('pages in the order of %s lead through all rows', async ([, range, ids]) => {
  const rows = await rowsOf([
    garden(1n, { name: 'é,%b', budget: 2n ** 63n - 1n, area: -1.5, openedAt: new Date(1), isOpen: true }),
    garden(2n, { name: 'é,%a', budget: 2n ** 53n + 1n, area: 1e300, openedAt: new Date(0), isOpen: false }),
    garden(3n, { name: '%2C', budget: -(2n ** 63n), area: 0.1, openedAt: new Date(2), isOpen: true }),
  ]);

  expect(await walk(rows, range, 1)).toEqual(ids.map((id) => [id]));
  expect((await walk(rows, range, 2)).flat()).toEqual(ids);
});
