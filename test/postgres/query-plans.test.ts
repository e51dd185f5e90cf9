import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { startServiceWithManyPlants, statementsOf } from '../support/many-plants.js';

const ID = 'plants_pkey';
const TAG = 'plants_by_tag';
const NAME = 'plants_by_name';

/** The indexes that lead to the plants, and what sorts; a name leads to 1,000 plants at most that are sorted. */
const PLANS = [
  ['/plants/7', [ID]],
  ['/plants', [ID]],
  ['/plants?after=29000&limit=1000', [ID]],
  ['/plants?tag=rare', [TAG]],
  ['/plants?tag=frequent&after=20000', [TAG]],
  ['/plants?name=Rare', [NAME, 'Sort']],
  ['/plants?name=Rare&tag=frequent&after=20000', [NAME, 'Sort']],
  ['/plants?name=%F4%8F%BF%BF', [NAME, 'Sort']],
  ['/plants?name=Monstera&after=20000', [NAME, ID]],
  ['/plants?name=M_n', [NAME, ID]],
  ['/plants?name=Monstera&tag=rare', [NAME, TAG]],
  ['/plants?name=M_n&tag=frequent', [NAME, TAG]],
] as const;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** What a node does besides passing rows on: the index that it goes by, or a way that leads past indexes. */
function stepsIn(node: PlanNode): string[] {
  const { 'Node Type': type, 'Index Name': index, Plans: plans = [] } = node;
  const own = index ?? (/Seq Scan|Sort/.test(type) ? type : undefined);
  return [...plans.flatMap((plan) => stepsIn(plan)), ...(own === undefined ? [] : [own])];
}

describe('the query plan', () => {
  // PostgreSQL plans a prepared statement for its parameters at first, and once and for all if that looks as good.
  test.for([
    ['for its parameters', 'EXPLAIN (FORMAT JSON)', true],
    ['for any parameters', 'EXPLAIN (FORMAT JSON, GENERIC_PLAN)', false],
  ] as const)(
    'of every list and of a read, made %s, goes by an index',
    async ([, explain, hasParameters]) => {
      const service = await startServiceWithManyPlants();
      const dataSource = service.app.get(DataSource);
      const stepsOf = async (path: string) => {
        const steps = new Set<string>();
        for (const [sql, parameters] of await statementsOf(service, path)) {
          const [row] = await dataSource.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
            `${explain} ${sql}`,
            hasParameters ? parameters : undefined,
          );
          for (const { Plan } of row?.['QUERY PLAN'] ?? []) for (const step of stepsIn(Plan)) steps.add(step);
        }
        return [...steps];
      };

      for (const [path, steps] of PLANS) expect.soft(await stepsOf(path), path).toEqual(steps);
    },
  );
});
