import type { DataSource } from 'typeorm';
import { describe, expect, inject, test, vi } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.js';
import { MissingReferenceError, Rows } from '../../src/store/rows.js';
import type { TestDatabase } from '../support/database.js';
import { query } from '../support/postgres-server.js';
import { altered, Bed, Garden, garden, openGardens, watchStatements } from './gardens.js';

interface Store {
  readonly database: TestDatabase;
  readonly dataSource: DataSource;
  readonly gardens: Rows<Garden>;
  readonly beds: Rows<Bed>;
  /** What is executed from the moment on when the store is as it is to begin with. */
  readonly statements: readonly string[];
}

/** What an engine asks for that spreads both tables by the ids of the gardens. */
const SPREAD = [
  ['gardens', 'id', 'id'],
  ['beds', 'garden_id', 'garden_id, code'],
]
  .map(
    ([table, key, primaryKey]) => `
  ALTER TABLE ${table} RENAME TO ${table}_together;
  CREATE TABLE ${table} (LIKE ${table}_together, PRIMARY KEY (${primaryKey})) PARTITION BY HASH (${key});
  ${[0, 1, 2, 3].map((part) => `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS 4, REMAINDER ${part});`).join('')}
  INSERT INTO ${table} SELECT * FROM ${table}_together;`,
  )
  .concat(
    'DROP TABLE beds_together, gardens_together;',
    'ALTER TABLE beds ADD FOREIGN KEY (garden_id) REFERENCES gardens ON DELETE CASCADE',
  )
  .join('');

function bed(code: string, gardenId: bigint, nextTo: string | null = null): Bed {
  return { code, gardenId, nextTo };
}

/** A store with the gardens 1 and 2, and the bed `old` in the first. */
async function openStore(): Promise<Store> {
  const { database, dataSource } = await openGardens();
  const commits = new GroupCommit(4096);
  const gardens = new Rows(dataSource, Garden, commits);
  const beds = new Rows(dataSource, Bed, commits);
  await Promise.all([1n, 2n].map((id) => gardens.insert(garden(id), (row) => row)));
  await insert(beds, bed('old', 1n));
  return { database, dataSource, gardens, beds, statements: watchStatements(dataSource) };
}

async function insert(beds: Rows<Bed>, row: Bed): Promise<unknown> {
  return beds.insert(row, () => {
    throw new Error('taken');
  });
}

async function put(beds: Rows<Bed>, row: Bed): Promise<unknown> {
  return beds.change(row.code, () => row);
}

/** What became of writes: the property that refers to nothing, another reason, or nothing when all is well. */
async function problemsOf(writes: Promise<unknown>[]): Promise<(string | undefined)[]> {
  return (await Promise.allSettled(writes)).map((result) => {
    if (result.status === 'fulfilled') return undefined;
    const reason = result.reason as Error;
    return reason instanceof MissingReferenceError ? reason.column.property : reason.message;
  });
}

async function bedsOf(beds: Rows<Bed>): Promise<Bed[]> {
  const all: Bed[] = [];
  for await (const found of beds.read({ order: ['code'] }))
    all.push(...found.map((stored) => beds.table.decode(stored)));
  return all;
}

describe('rows that refer to others', () => {
  test('are created by one statement', async () => {
    const { beds, statements } = await openStore();

    expect(await problemsOf([insert(beds, bed('a', 1n, 'old')), insert(beds, bed('b', 2n))])).toEqual([
      undefined,
      undefined,
    ]);

    expect(statements).toEqual(['INSERT']);
    expect(await bedsOf(beds)).toEqual([bed('a', 1n, 'old'), bed('b', 2n), bed('old', 1n)]);
  });

  /** Each with what becomes of the writes, and the beds that there are then. */
  test.for<
    [
      what: string,
      write: (beds: Rows<Bed>) => Promise<unknown>[],
      problems: (string | undefined)[],
      stored: Bed[],
    ]
  >([
    [
      'creates',
      (beds) => [
        insert(beds, bed('a', 3n)),
        insert(beds, bed('b', 1n)),
        insert(beds, bed('c', 1n, 'nowhere')),
        insert(beds, bed('d', 3n, 'nowhere')),
        insert(beds, bed('old', 3n)),
        insert(beds, bed('e', 2n, 'old')),
      ],
      ['gardenId', undefined, 'nextTo', 'gardenId', 'taken', undefined],
      [bed('b', 1n), bed('e', 2n, 'old'), bed('old', 1n)],
    ],
    [
      'replacements and changes',
      (beds) => [
        put(beds, bed('a', 3n)),
        put(beds, bed('b', 1n)),
        put(beds, bed('old', 1n, 'nowhere')),
        put(beds, bed('c', 2n, 'old')),
      ],
      ['gardenId', undefined, 'nextTo', undefined],
      [bed('b', 1n), bed('c', 2n, 'old'), bed('old', 1n)],
    ],
    [
      'creates of one key, of which the first would win',
      (beds) => [insert(beds, bed('a', 3n)), insert(beds, bed('a', 1n)), insert(beds, bed('a', 2n))],
      ['gardenId', undefined, 'taken'],
      [bed('a', 1n), bed('old', 1n)],
    ],
    [
      'changes of one row, each of what the one before left',
      (beds) => [
        put(beds, bed('old', 2n)),
        beds.change('old', (row) => row && altered(row, { gardenId: 3n })),
        beds.change('old', (row) => row && altered(row, { nextTo: 'old' })),
      ],
      [undefined, 'gardenId', undefined],
      [bed('old', 2n, 'old')],
    ],
  ])('are refused when those are not there, and nothing else is: %s', async ([, write, problems, stored]) => {
    const { beds } = await openStore();

    expect(await problemsOf(write(beds))).toEqual(problems);

    expect(await bedsOf(beds)).toEqual(stored);
  });

  test('are stored by a second statement when others of the batch refer to nothing, however many', async () => {
    const { beds, statements } = await openStore();

    await problemsOf([insert(beds, bed('a', 3n)), insert(beds, bed('b', 1n)), insert(beds, bed('c', 4n))]);

    // Between them it is looked up which rows are there, and which gardens.
    expect(statements).toEqual(['INSERT', 'SELECT', 'SELECT', 'INSERT']);
    expect(await bedsOf(beds)).toEqual([bed('b', 1n), bed('old', 1n)]);
  });

  test('may come together with what they refer to', async () => {
    const { gardens, beds } = await openStore();

    const problems = await problemsOf([
      insert(beds, bed('a', 3n, 'b')),
      insert(beds, bed('b', 3n)),
      gardens.insert(garden(3n), (row) => row),
    ]);

    // The lanes take turns: the beds are written before the garden.
    expect(problems).toEqual(['gardenId', 'gardenId', undefined]);
    expect(await problemsOf([insert(beds, bed('a', 3n, 'b')), insert(beds, bed('b', 3n))])).toEqual([
      undefined,
      undefined,
    ]);
    expect(await bedsOf(beds)).toEqual([bed('a', 3n, 'b'), bed('b', 3n), bed('old', 1n)]);
  });

  test('go with what they refer to', async () => {
    const { gardens, beds } = await openStore();
    await insert(beds, bed('a', 2n, 'old'));

    await gardens.change(1n, () => undefined);

    expect(await bedsOf(beds)).toEqual([]);
  });

  test
    .runIf(inject('database') === 'postgres')
    .for<[string, (beds: Rows<Bed>, gardenId: bigint) => Promise<unknown>]>([
      ['created', (beds, gardenId) => insert(beds, bed(`in ${gardenId}`, gardenId))],
      ['changed', (beds, gardenId) => put(beds, bed(gardenId === 1n ? 'first' : 'second', gardenId))],
    ])('are refused alone when those go at the same time: rows that are %s', async ([, write]) => {
    const { database, beds } = await openStore();
    await Promise.all([insert(beds, bed('first', 2n)), insert(beds, bed('second', 1n))]);
    await database.execute('BEGIN; DELETE FROM gardens WHERE id = 1');

    const problems = problemsOf([1n, 2n].map((gardenId) => write(beds, gardenId)));
    await vi.waitUntil(
      async () => (await query(database.url, 'SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0,
    );
    await database.execute('COMMIT');

    expect(await problems).toEqual(['gardenId', undefined]);
  });

  test.runIf(inject('database') === 'postgres')(
    'are written as values with their keys where both tables are spread by the key of the first',
    async () => {
      const { database, dataSource, beds } = await openStore();
      await database.execute(SPREAD);
      const log = vi.spyOn(dataSource.logger, 'logQuery');

      const problems = await problemsOf([
        insert(beds, bed('a', 1n)),
        insert(beds, bed('b', 3n)),
        insert(beds, bed('c', 2n)),
        put(beds, bed('old', 2n)),
      ]);

      expect(problems).toEqual([undefined, 'gardenId', undefined, undefined]);
      expect(await bedsOf(beds)).toEqual([bed('a', 1n), bed('c', 2n), bed('old', 2n)]);
      const inserts = log.mock.calls.filter(([text]) => text.startsWith('INSERT'));
      expect(inserts).not.toEqual([]);
      for (const [text] of inserts)
        expect(text).toMatch(
          /^INSERT INTO "beds" \([^()]+\) VALUES [($\d,)]+ ON CONFLICT DO NOTHING RETURNING /,
        );
    },
  );
});
