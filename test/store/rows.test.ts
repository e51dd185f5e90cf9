import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, inject, test, vi } from 'vitest';
import type { Rows } from '../../src/kernel/store/rows.js';
import { SEPARATOR } from '../../src/kernel/store/scans/index-scan.js';
import { MAX_TEXT } from '../../src/kernel/validation/decorators.js';
import { anyCharacter } from '../model/any-character.js';
import { query } from '../support/postgres-server.js';
import { type Garden, openGardens } from './gardens.js';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
// U+0000 and lone surrogates are refused before they come here.
const text = fc
  .string({ unit: anyCharacter, maxLength: 40 })
  .map((value) => value.replaceAll('\0', '\u{10FFFF}'));

const anyGarden: fc.Arbitrary<Garden> = fc.record(
  {
    id: int64,
    name: text,
    note: fc.option(text),
    budget: fc.option(int64),
    // JSON has no -0, and neither has SQLite.
    area: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    isOpen: fc.option(fc.boolean()),
    openedAt: fc.option(fc.date({ noInvalidDate: true })),
  },
  { noNullPrototype: true },
);

/** In JSON, a field without a value is absent. */
const NULLS = { note: null, budget: null, area: null, isOpen: null, openedAt: null };

test('a row is read exactly as it was written, whatever it holds, and so is its JSON', async () => {
  const { rows, database } = await openGardens();
  const pairs = fc.uniqueArray(fc.tuple(anyGarden, anyGarden), {
    selector: ([{ id }]) => id,
    minLength: 1,
    maxLength: 20,
  });
  const findAll = async (ids: bigint[]) => Promise.all(ids.map((id) => rows.find(id)));

  await fc.assert(
    fc.asyncProperty(pairs, async (gardens) => {
      const first = gardens.map(([row]) => row).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const second = gardens.map(([{ id }, other]) => Object.assign({}, other, { id }));
      const ids = second.map(({ id }) => id);
      await database.execute('DELETE FROM gardens');

      await Promise.all(first.map((row) => rows.change(row.id, () => row, true)));
      const lines: string[] = [];
      for await (const { text: found } of rows.read({ order: ['id'] })) lines.push(...found.split(SEPARATOR));
      expect(lines.map((line) => rows.table.decode({ ...NULLS, ...rows.table.parse(line) }))).toStrictEqual(
        first,
      );
      await Promise.all(second.map((row) => rows.change(row.id, () => row)));
      expect(await findAll(ids)).toStrictEqual(second);
      await Promise.all(ids.map((id) => rows.change(id, () => undefined)));
      expect(await findAll(ids)).toStrictEqual(ids.map(() => undefined));
    }),
    { numRuns: 50 },
  );
});

test('a long read holds 256 of the longest rows at most, although it has met only short ones before', async () => {
  const { rows, database } = await openGardens();
  const longest = '\u0001'.repeat(MAX_TEXT);
  const ids = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1400) SELECT i';
  await database.execute(`INSERT INTO gardens (id, name) ${ids}, 'Kew' FROM n WHERE i <= 1100`);
  await database.execute(
    `INSERT INTO gardens (id, name, note) ${ids}, '${longest}', '${longest}' FROM n WHERE i > 1100`,
  );

  const lengths: number[] = [];
  for await (const { text: found } of rows.read({ order: ['id'] })) lengths.push(found.length);

  expect(Math.max(...lengths)).toBeLessThan(256 * 200_000);
});

test('a page reads large rows a few at a time, and short ones at once', async () => {
  const { rows, database } = await openGardens();
  const ids = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80) SELECT i';
  const insert = (condition: string, name: string) =>
    database.execute(`INSERT INTO gardens (id, name) ${ids}, '${name}' FROM n WHERE ${condition}`);
  await insert('i <= 40', '\u0001'.repeat(MAX_TEXT));
  await insert('i > 40', 'Kew');
  /** How many rows each statement of a page has read. */
  const countsOf = async (after?: [bigint]) => {
    const counts: number[] = [];
    for await (const { count } of rows.read({ order: ['id'], after }, 40)) {
      counts.push(count);
      if (counts.reduce((sum, one) => sum + one, 0) >= 40) break;
    }
    return counts;
  };

  await countsOf();
  const large = await countsOf();
  const changed = await countsOf([40n]);
  await countsOf([40n]);
  const short = await countsOf([40n]);

  expect(Math.max(...large)).toBeLessThan(10);
  // After large rows, each statement reads twice as many as the one before.
  expect(changed.length).toBe(5);
  expect(short.length).toBe(1);
});

test('a walk through few rows ends with its first page, however long it waits for others', async () => {
  const { rows, database } = await openGardens();
  const ids = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i';
  await database.execute(`INSERT INTO gardens (id, name) ${ids}, 'Kew' FROM n`);
  const filter = { condition: 'id = 3000', parameters: [] };
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));

  let count = 0;
  for await (const page of rows.read({ order: ['id'], filter }, 1)) count += page.count;
  clock.mockRestore();

  expect(count).toBe(1);
});

test.for([
  ['pages and counts of searches, with and without an index, run one statement at a time', true, 1],
  ['other pages and counts do not wait for each other', false, 4],
] as const)('%s', async ([, isSearch, expected]) => {
  const { rows } = await openGardens();
  const statement = { text: 'SELECT 1', parameters: [] };
  const source = { read: () => [statement], count: () => statement };
  const searches = [{ source }, { filter: { condition: 'true', parameters: [] } }];
  let underWay = 0;
  let most = 0;
  const queries = {
    query: async () => {
      most = Math.max(most, (underWay += 1));
      await turnOfTheEventLoop();
      underWay -= 1;
      return [{ text: '{"id":1}', count: 1 }];
    },
  };

  await Promise.all(
    (isSearch ? searches : [{}, {}]).flatMap((search) => {
      const range = { order: ['id'], ...search };
      return [rows.read(range, 1, queries).next(), rows.count(range, queries)];
    }),
  );

  expect(most).toBe(expected);
});

test.runIf(inject('database') === 'postgres')(
  'writes are tried again when PostgreSQL undoes them, because others wait for them and they for others',
  async () => {
    const { database, dataSource, rows } = await openGardens();
    await database.execute(`INSERT INTO gardens (id, name) VALUES (1, 'Kew'), (2, 'Eden')`);
    // PostgreSQL looks for a circle once, and undoes the one that looks: that has to be the one that began to wait first.
    await dataSource.query(`SET deadlock_timeout = '3s'`);
    await database.execute(
      `BEGIN; SET LOCAL deadlock_timeout = '1min'; UPDATE gardens SET name = 'of the other' WHERE id = 2`,
    );

    const written = Promise.all(
      [1n, 2n].map((id) => rows.change(id, (row) => row && Object.assign({}, row, { name: `${row.name}!` }))),
    );
    await vi.waitUntil(
      async () => (await query(database.url, 'SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0,
    );
    await database.execute(`UPDATE gardens SET name = 'of the other' WHERE id = 1; COMMIT`);

    expect((await written).map(({ after }) => after?.name)).toEqual(['of the other!', 'of the other!']);
  },
);

const AFTER_DELETION = [
  [
    'wait together',
    (rows: Rows<Garden>, id: bigint, next: Garden) =>
      Promise.all([rows.change(id, () => undefined), rows.change(id, (current) => current ?? next, true)]),
  ],
  [
    'are one transaction',
    (rows: Rows<Garden>, key: bigint, next: Garden) =>
      rows.changeAll([
        { key, decide: () => undefined },
        { key, decide: () => next },
      ]),
  ],
] as const;

test.for(AFTER_DELETION)(
  'a deletion and a create that %s lead to another row, without the children of the first, or to none if they keep it',
  async ([, change]) => {
    const { rows, database, dataSource } = await openGardens();
    await database.execute(`
      CREATE TABLE beds (garden_id BIGINT REFERENCES gardens (id) ON DELETE CASCADE);
      CREATE TABLE trees (garden_id BIGINT REFERENCES gardens (id))`);
    const first: Garden = { ...NULLS, id: 1n, name: 'first' };
    const kept: Garden = { ...NULLS, id: 2n, name: 'first' };
    for (const garden of [first, kept]) await rows.change(garden.id, () => garden, true);
    await database.execute('INSERT INTO beds VALUES (1); INSERT INTO trees VALUES (2)');
    const next = { ...NULLS, id: 1n, name: 'second' };

    expect(await change(rows, 1n, next)).toEqual([
      { before: first, after: undefined },
      { before: undefined, after: next },
    ]);
    await expect(change(rows, 2n, { ...NULLS, id: 2n, name: 'second' })).rejects.toThrow(/foreign key/i);

    expect(await Promise.all([rows.find(1n), rows.find(2n)])).toEqual([next, kept]);
    expect(await dataSource.query('SELECT garden_id FROM beds')).toEqual([]);
  },
);

test('a transaction that replaces rows runs as many statements as one that creates and deletes others', async () => {
  const { rows, dataSource } = await openGardens();
  const gardens = Array.from({ length: 200 }, (_, index) => ({ ...NULLS, id: BigInt(index), name: 'Kew' }));
  await rows.changeAll(gardens.map((garden) => ({ key: garden.id, decide: () => garden })));
  let statements = 0;
  const createQueryRunner = dataSource.createQueryRunner.bind(dataSource);
  vi.spyOn(dataSource, 'createQueryRunner').mockImplementation((...mode) => {
    const runner = createQueryRunner(...mode);
    const runQuery = runner.query.bind(runner);
    runner.query = ((...statement: Parameters<typeof runQuery>) => {
      if (/^(SELECT|DELETE|INSERT|UPDATE)/.test(statement[0])) statements += 1;
      return runQuery(...statement);
    }) as typeof runQuery;
    return runner;
  });

  await rows.changeAll(
    gardens.flatMap((garden) => [
      { key: garden.id, decide: () => undefined },
      { key: garden.id, decide: () => garden },
    ]),
  );

  expect(statements).toBe(3);
});
