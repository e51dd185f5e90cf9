import type { DataSource } from 'typeorm';
import { describe, expect, inject, test } from 'vitest';
import { toApiException } from '../../src/http/pipeline/error.filter.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import type { TestDatabase } from '../support/database.js';
import { altered, Bed, Garden, garden, openGardens } from './gardens.js';

interface Store {
  readonly database: TestDatabase;
  readonly dataSource: DataSource;
  readonly gardens: Rows<Garden>;
  readonly beds: Rows<Bed>;
}

/** Spreads both tables by the ids of the gardens, as a distributed engine does. */
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
  return { database, dataSource, gardens, beds };
}

async function insert(beds: Rows<Bed>, row: Bed): Promise<unknown> {
  return beds.insert(row, () => {
    throw new Error('taken');
  });
}

async function put(beds: Rows<Bed>, row: Bed): Promise<unknown> {
  return beds.change(row.code, () => row);
}

/** The errors of writes; undefined where one succeeded. */
async function problemsOf(writes: Promise<unknown>[]): Promise<(number | string | undefined)[]> {
  return (await Promise.allSettled(writes)).map((result) => {
    if (result.status === 'fulfilled') return undefined;
    const reason = result.reason as Error;
    return reason.message === 'taken' ? 'taken' : toApiException(reason).error;
  });
}

async function bedsOf(beds: Rows<Bed>): Promise<Bed[]> {
  const all: Bed[] = [];
  for await (const found of beds.read({ order: ['code'] }))
    all.push(...found.map((stored) => beds.table.decode(stored)));
  return all;
}

describe('rows that refer to others, of which only the database knows', () => {
  test.for<
    [
      what: string,
      write: (beds: Rows<Bed>) => Promise<unknown>[],
      problems: (number | string | undefined)[],
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
      [40401, undefined, 40401, 40401, 'taken', undefined],
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
      [40401, undefined, 40401, undefined],
      [bed('b', 1n), bed('c', 2n, 'old'), bed('old', 1n)],
    ],
    [
      'creates of one key, of which the first would win',
      (beds) => [insert(beds, bed('a', 3n)), insert(beds, bed('a', 1n)), insert(beds, bed('a', 2n))],
      [40401, undefined, 'taken'],
      [bed('a', 1n), bed('old', 1n)],
    ],
    [
      'changes of one row, each of the result of the one before',
      (beds) => [
        put(beds, bed('old', 2n)),
        beds.change('old', (row) => row && altered(row, { gardenId: 3n })),
        beds.change('old', (row) => row && altered(row, { nextTo: 'old' })),
      ],
      [undefined, 40401, undefined],
      [bed('old', 2n, 'old')],
    ],
  ])('are refused alone when those do not exist: %s', async ([, write, problems, stored]) => {
    const { beds } = await openStore();

    expect(await problemsOf(write(beds))).toEqual(problems);

    expect(await bedsOf(beds)).toEqual(stored);
  });

  test('go with what they refer to', async () => {
    const { gardens, beds } = await openStore();
    await insert(beds, bed('a', 2n, 'old'));

    await gardens.change(1n, () => undefined);

    expect(await bedsOf(beds)).toEqual([]);
  });

  test.runIf(inject('database') === 'postgres')('are stored where both tables are spread', async () => {
    const { database, beds } = await openStore();
    await database.execute(SPREAD);

    const problems = await problemsOf([
      insert(beds, bed('a', 1n)),
      insert(beds, bed('b', 3n)),
      insert(beds, bed('c', 2n)),
      put(beds, bed('old', 2n)),
    ]);

    expect(problems).toEqual([undefined, 40401, undefined, undefined]);
    expect(await bedsOf(beds)).toEqual([bed('a', 1n), bed('c', 2n), bed('old', 2n)]);
  });
});
