import { Column, Entity, PrimaryColumn } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { stringifyExactJson } from '../../src/http/body/exact-json.js';
import { withoutNulls } from '../../src/resource/resource.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Rows } from '../../src/store/rows.js';
import { Table } from '../../src/store/table.js';
import { emptyDatabase } from '../support/database.js';
import { connect, Garden, garden, openGardens } from './gardens.js';

@Entity('counters')
class Counter {
  @PrimaryColumn('text')
  id: string;

  @Column('integer')
  count: number;
}

@Entity('plots')
class Plot {
  @PrimaryColumn('text')
  row: string;

  @PrimaryColumn('text')
  place: string;
}

@Entity('pots')
class Pot {
  @PrimaryColumn('text')
  id: string;

  @Column('text', { default: 'clay' })
  material: string;
}

describe('the description of a table', () => {
  test.for([
    ['a column of another type', Counter, /^Counter\.count must be of one of the types bigint, text, /],
    ['a default', Pot, 'Pot.material must have no default: give one to its DTO.'],
    ['two primary columns', Plot, 'Plot must have one primary column.'],
  ] as const)('refuses an entity with %s', async ([, entity, reason]) => {
    const dataSource = await connect(await emptyDatabase(), [entity]);

    expect(() => new Table<object>(dataSource, entity)).toThrow(reason);
  });

  test('writes the JSON of a row as it is in the database, exactly', async () => {
    const { dataSource } = await openGardens();
    const rows = new Rows(dataSource, Garden, new GroupCommit(100));
    const gardens = [
      garden(2n ** 63n - 1n, { name: '"\\\n草\u2028\u{10FFFF}', area: 0.1, plan: { beds: ['"', 1e21] } }),
      garden(-(2n ** 53n) - 1n, {
        note: '',
        budget: 0n,
        slope: -1e-7,
        isShady: false,
        closedAt: new Date(5),
      }),
    ];
    await Promise.all(gardens.map((row) => rows.insert(row, () => row)));

    const texts: string[] = [];
    for await (const found of rows.read({ order: ['id'], isDescending: true }))
      texts.push(...found.map((stored) => rows.table.json(stored).text));

    expect(texts).toEqual(gardens.map((row) => stringifyExactJson(withoutNulls(row))));
  });
});
