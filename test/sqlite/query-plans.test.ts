import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { startServiceWithManyPlants, statementsOf } from '../support/many-plants.js';

const ID = 'SEARCH plants USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)';
const TAG = 'SEARCH plants USING INDEX plants_by_tag (<expr>=? AND id>? AND id<?)';
const NAME = 'SEARCH plants USING INDEX plants_by_name (<expr>>? AND <expr><?)';
const NAME_ONLY = NAME.replace('INDEX', 'COVERING INDEX');
const SORT = 'USE TEMP B-TREE FOR ORDER BY';

/** The steps that read plants or sort them; a name leads to 1,000 plants at most that are sorted. */
const PLANS = [
  ['/plants/7', ['SEARCH plants USING INTEGER PRIMARY KEY (rowid=?)']],
  ['/plants', [ID]],
  ['/plants?after=29000&limit=1000', [ID]],
  ['/plants?tag=rare', [TAG]],
  ['/plants?tag=frequent&after=20000', [TAG]],
  ['/plants?name=Rare', [NAME_ONLY, NAME, SORT]],
  ['/plants?name=Rare&tag=frequent&after=20000', [NAME_ONLY, NAME, SORT]],
  ['/plants?name=%F4%8F%BF%BF', [NAME_ONLY, NAME, SORT]],
  ['/plants?name=Monstera&after=20000', [NAME_ONLY, ID]],
  ['/plants?name=M_n', [NAME_ONLY, ID]],
  ['/plants?name=Monstera&tag=rare', [NAME_ONLY, TAG]],
  ['/plants?name=M_n&tag=frequent', [NAME_ONLY, TAG]],
] as const;

describe('the query plan', () => {
  test('of every list and of a read goes by an index', async () => {
    const service = await startServiceWithManyPlants();
    const dataSource = service.app.get(DataSource);
    const stepsOf = async (path: string) => {
      const steps = new Set<string>();
      for (const [sql, parameters] of await statementsOf(service, path)) {
        const plan = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
        for (const { detail } of plan) if (/\bplants\b|B-TREE/.test(detail)) steps.add(detail);
      }
      return [...steps];
    };

    for (const [path, steps] of PLANS) expect.soft(await stepsOf(path), path).toEqual(steps);
  });
});
