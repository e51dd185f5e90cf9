import * as fc from 'fast-check';
import { describe, expect, inject, test, vi } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.js';
import { type Decide, Rows, type Written } from '../../src/store/rows.js';
import type { TestDatabase } from '../support/database.js';
import { query } from '../support/postgres-server.js';
import {
  altered,
  beforeStatements,
  Bed,
  connect,
  Garden,
  garden,
  openGardens,
  watchStatements,
} from './gardens.js';

async function openRows() {
  const opened = await openGardens();
  const commits = new GroupCommit(4096);
  return { ...opened, commits, rows: new Rows(opened.dataSource, Garden, commits) };
}

/** The rows as another instance has them. */
async function openElsewhere(database: TestDatabase): Promise<Rows<Garden>> {
  return new Rows(await connect(database, [Garden, Bed]), Garden, new GroupCommit(4096));
}

/** Inserts a row, and refuses it when its key is taken. */
function insert(rows: Rows<Garden>, row: Garden): Promise<Written<Garden>> {
  return rows.insert(row, () => {
    throw new Error('taken');
  });
}

function change(rows: Rows<Garden>, id: bigint, decide: Decide<Garden>): Promise<Written<Garden>> {
  return rows.change(id, decide);
}

const rename =
  (name: string): Decide<Garden> =>
  (current) =>
    current && altered(current, { name });

const remove: Decide<Garden> = () => undefined;

async function namesOf(rows: Rows<Garden>): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  for await (const found of rows.read({ order: ['id'] }))
    for (const { id, name } of found) names[String(id)] = name;
  return names;
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
// U+0000 and lone surrogates are refused before they come here.
const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((value) => value.replaceAll('\0', '\u{10FFFF}'));
// JSON has no -0, and neither has SQLite.
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const time = fc.date({ noInvalidDate: true });
const value = fc
  .jsonValue()
  .filter((any) => any !== null)
  .map((any) => JSON.parse(JSON.stringify(any)) as unknown);

const anyGarden: fc.Arbitrary<Garden> = fc.record(
  {
    id: int64,
    name: text,
    note: fc.option(text),
    visitors: int64,
    budget: fc.option(int64),
    area: double,
    slope: fc.option(double),
    isOpen: fc.boolean(),
    isShady: fc.option(fc.boolean()),
    openedAt: time,
    closedAt: fc.option(time),
    plan: value,
    extra: fc.option(value),
  },
  { noNullPrototype: true },
);

describe('a row', () => {
  test('is read exactly as it was written, whatever it holds', async () => {
    const { rows, database } = await openRows();
    const pairs = fc.uniqueArray(fc.tuple(anyGarden, anyGarden), {
      selector: ([{ id }]) => id,
      minLength: 1,
      maxLength: 20,
    });
    const findAll = async (ids: bigint[]) => Promise.all(ids.map((id) => rows.find(id)));

    await fc.assert(
      fc.asyncProperty(pairs, async (gardens) => {
        const first = gardens.map(([row]) => row);
        const ids = first.map(({ id }) => id);
        const second = gardens.map(([{ id }, other]) => altered(other, { id }));
        await database.execute('DELETE FROM gardens');

        await Promise.all(first.map((row) => insert(rows, row)));
        expect(await findAll(ids)).toStrictEqual(first);
        await Promise.all(second.map((row) => change(rows, row.id, () => row)));
        expect(await findAll(ids)).toStrictEqual(second);
        await Promise.all(ids.map((id) => change(rows, id, remove)));
        expect(await findAll(ids)).toStrictEqual(ids.map(() => undefined));
      }),
      { numRuns: 200 },
    );
  });
});

describe('what comes in one turn of the event loop', () => {
  test('is one statement when it reads', async () => {
    const { dataSource, rows } = await openRows();
    await Promise.all([1n, 2n].map((id) => insert(rows, garden(id))));
    const statements = watchStatements(dataSource);

    const found = await Promise.all([1n, 2n, 3n, 1n].map((id) => rows.find(id)));
    expect(found.map((row) => row?.id)).toEqual([1n, 2n, undefined, 1n]);
    expect(statements).toEqual(['SELECT']);
    await Promise.all(Array.from({ length: 257 }, (_, id) => rows.find(BigInt(id))));

    expect(statements).toEqual(['SELECT', 'SELECT', 'SELECT']);
  });

  /** There are the gardens 1 and 2. Each write says what it makes of a row, and what it is answered. */
  test.for<
    [
      what: string,
      write: (rows: Rows<Garden>) => Promise<Written<Garden>>[],
      outcomes: (string | undefined)[],
      stored: Record<string, string>,
    ]
  >([
    [
      'creates of one key, of which the first wins',
      (rows) => ['a', 'b', 'c'].map((name) => insert(rows, garden(3n, { name }))),
      ['a', 'taken', 'taken'],
      { 1: 'garden 1', 2: 'garden 2', 3: 'a' },
    ],
    [
      'creates of free and taken keys',
      (rows) => [2n, 3n].map((id) => insert(rows, garden(id, { name: 'new' }))),
      ['taken', 'new'],
      { 1: 'garden 1', 2: 'garden 2', 3: 'new' },
    ],
    [
      'a create of a taken key that is fine as it is',
      (rows) => [rows.insert(garden(1n), (current) => current)],
      ['garden 1'],
      { 1: 'garden 1', 2: 'garden 2' },
    ],
    [
      'changes of one row, each of what the one before left, stored once',
      (rows) => ['a', 'b', 'c'].map((part) => change(rows, 1n, (row) => rename(`${row?.name} ${part}`)(row))),
      ['garden 1 a', 'garden 1 a b', 'garden 1 a b c'],
      { 1: 'garden 1 a b c', 2: 'garden 2' },
    ],
    [
      'a refusal between changes',
      (rows) => [
        change(rows, 1n, rename('a')),
        change(rows, 1n, () => {
          throw new Error('refused');
        }),
        change(rows, 1n, (row) => rename(`${row?.name} b`)(row)),
      ],
      ['a', 'refused', 'a b'],
      { 1: 'a b', 2: 'garden 2' },
    ],
    [
      'a row that comes and goes',
      (rows) => [insert(rows, garden(3n)), change(rows, 3n, remove)],
      ['garden 3', undefined],
      { 1: 'garden 1', 2: 'garden 2' },
    ],
    [
      'writes of every kind',
      (rows) => [
        change(rows, 1n, remove),
        change(rows, 2n, rename('new')),
        change(rows, 4n, () => garden(4n)),
        insert(rows, garden(3n)),
      ],
      [undefined, 'new', 'garden 4', 'garden 3'],
      { 2: 'new', 3: 'garden 3', 4: 'garden 4' },
    ],
  ])('is written together: %s', async ([, write, outcomes, stored]) => {
    const { rows } = await openRows();
    await Promise.all([1n, 2n].map((id) => insert(rows, garden(id))));

    const results = await Promise.allSettled(write(rows));

    expect(
      results.map((result) =>
        result.status === 'fulfilled' ? result.value.after?.name : (result.reason as Error).message,
      ),
    ).toEqual(outcomes);
    expect(await namesOf(rows)).toEqual(stored);
  });

  test.for<[string, Partial<Garden>]>([
    ['the database refuses', { name: 'refused' }],
    ['cannot be told to the database', { openedAt: new Date(Number.NaN) }],
  ])('takes none of the others along when it has a row that %s', async ([, members]) => {
    const { rows } = await openRows();
    await insert(rows, garden(1n));

    const results = await Promise.allSettled([
      change(rows, 1n, (row) => row && altered(row, members)),
      insert(rows, garden(2n, members)),
      insert(rows, garden(3n)),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await namesOf(rows)).toEqual({ 1: 'garden 1', 3: 'garden 3' });
  });
});

describe('a write that another instance overtakes', () => {
  const OTHER = `'of the other', NULL, 0, NULL, 1, NULL, true, NULL, '1970-01-01T00:00:00.000Z', NULL, '{}', NULL`;

  test.for<
    [
      kind: string,
      overtaken: string,
      other: string,
      decide: Decide<Garden>,
      before: string | undefined,
      stored: Record<string, string>,
    ]
  >([
    [
      'a change, by a change',
      'UPDATE',
      `UPDATE gardens SET name = 'of the other'`,
      (row) => rename(`${row?.name}, changed`)(row),
      'of the other',
      { 1: 'of the other, changed' },
    ],
    [
      'a change, by a change of another column alone',
      'UPDATE',
      `UPDATE gardens SET slope = 1`,
      (row) => rename(`slope ${row?.slope}`)(row),
      'garden 1',
      { 1: 'slope 1' },
    ],
    [
      'a change, by a deletion',
      'UPDATE',
      'DELETE FROM gardens',
      (row) => garden(1n, { name: row === undefined ? 'again' : 'changed' }),
      undefined,
      { 1: 'again' },
    ],
    [
      'a deletion, by a change',
      'DELETE',
      `UPDATE gardens SET name = 'of the other'`,
      (row) => (row?.name === 'of the other' ? row : undefined),
      'of the other',
      { 1: 'of the other' },
    ],
    ['a deletion, by a deletion', 'DELETE', 'DELETE FROM gardens', remove, undefined, {}],
    [
      'a create, by a create',
      'INSERT',
      `INSERT INTO gardens VALUES (2, ${OTHER})`,
      (row) => row ?? garden(2n),
      'of the other',
      { 1: 'garden 1', 2: 'of the other' },
    ],
  ])('is decided again: %s', async ([, overtaken, other, decide, before, stored]) => {
    const { database, dataSource, rows } = await openRows();
    await insert(rows, garden(1n));
    let happened = 0;
    beforeStatements(dataSource, async (statement) => {
      if (statement.startsWith(overtaken) && happened++ === 0) await database.execute(other);
    });

    const written = await change(rows, overtaken === 'INSERT' ? 2n : 1n, decide);

    expect(written.before?.name).toBe(before);
    expect(await namesOf(rows)).toEqual(stored);
  });

  test('loses nothing that either of them counts', async () => {
    const { database, rows } = await openRows();
    const others = await openElsewhere(database);
    const ids = [1n, 2n, 3n];
    await Promise.all(ids.map((id) => insert(rows, garden(id))));
    const count = async (own: Rows<Garden>) => {
      for (let round = 0; round < 50; round += 1) {
        await Promise.all(
          ids.map((id) => change(own, id, (row) => row && altered(row, { visitors: row.visitors + 1n }))),
        );
      }
    };

    await Promise.all([count(rows), count(others)]);

    const found = await Promise.all(ids.map((id) => rows.find(id)));
    expect(found.map((row) => row?.visitors)).toEqual([100n, 100n, 100n]);
  });

  test.runIf(inject('database') === 'postgres')(
    'is tried again when PostgreSQL undoes it, because both wait for each other',
    async () => {
      const { database, rows } = await openRows();
      await Promise.all([1n, 2n].map((id) => insert(rows, garden(id))));
      // PostgreSQL looks for a circle once, and undoes the one that looks: that has to be the one that began to wait first.
      await database.execute(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''3s''', current_database()); END $$`,
      );
      const waiting = await openElsewhere(database);
      await database.execute(
        `BEGIN; SET LOCAL deadlock_timeout = '1min'; UPDATE gardens SET name = 'of the other' WHERE id = 2`,
      );

      const written = Promise.all(
        [1n, 2n].map((id) => change(waiting, id, (row) => rename(`${row?.name}!`)(row))),
      );
      await vi.waitUntil(
        async () => (await query(database.url, 'SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0,
      );
      await database.execute(`UPDATE gardens SET name = 'of the other' WHERE id = 1; COMMIT`);
      await written;

      expect(await namesOf(rows)).toEqual({ 1: 'of the other!', 2: 'of the other!' });
    },
  );
});
