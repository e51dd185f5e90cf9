import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { type Statement, statementsOf, storeManyPlants } from '../support/many-plants.js';
import { type Service, startService } from '../support/service.js';

const ID = 'plants_pkey';
const TAG = 'plants_by_tag';
const NAME = 'plants_by_name';

/** The only index that leads to the plants. */
const PLANS = [
  ['/plants/7', ID],
  ['/plants', ID],
  ['/plants?after=29000', ID],
  ['/plants/export', ID],
  ['/plants?tag=rare', TAG],
  ['/plants?tag=frequent', TAG],
  ['/plants?tag=frequent&after=Monstera%252020,20', TAG],
  ['/plants?name=', NAME],
  ['/plants?name=Rare', NAME],
  ['/plants?name=M', NAME],
  ['/plants?name=%F4%8F%BF%BF', NAME],
  ['/plants?name=Monstera&after=Monstera%252020,20&limit=1000', NAME],
  ['/plants?name=Monstera&tag=rare', TAG],
  ['/plants?name=M&tag=frequent', TAG],
  ['/plants?name=Monstera&tag=frequent&after=Monstera%252020,20', TAG],
] as const;

/** Pages of one plant at both ends of long lists. */
const ENDS = [
  '/plants?limit=1',
  '/plants?limit=1&after=29000',
  '/plants?limit=1&tag=frequent',
  '/plants?limit=1&tag=frequent&after=Rare%25206001,1',
  '/plants?limit=1&name=',
  '/plants?limit=1&name=&after=Rare%25206001,1',
  '/plants?limit=1&name=Monstera',
  '/plants?limit=1&name=Monstera&after=Monstera%25209998,9998',
  '/plants?limit=1&name=Monstera&tag=frequent&after=Monstera%25209997,9997',
] as const;

/** What the planner knows of the plants: SQL before they are stored, and behind that. */
const STATISTICS = [
  ['of these plants', '', 'ANALYZE plants'],
  ['of an empty table', 'ANALYZE plants', ''],
  ['that nobody has made', '', ''],
] as const;

/** How PostgreSQL plans a prepared statement: at first for its parameters, and once and for all if that looks as good. */
const WAYS = [
  ['for its parameters', 'EXPLAIN (FORMAT JSON)', true],
  ['for any parameters', 'EXPLAIN (FORMAT JSON, GENERIC_PLAN)', false],
] as const;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

async function startWithStatistics(before: string, behind: string): Promise<Service> {
  const service = await startService();
  await service.database.execute(`ALTER TABLE plants SET (autovacuum_enabled = off); ${before}`);
  await storeManyPlants(service);
  await service.database.execute(behind);
  return service;
}

async function explain(
  service: Service,
  how: string,
  { sql }: Statement,
  parameters?: unknown[],
): Promise<PlanNode[]> {
  const [row] = await service.app
    .get(DataSource)
    .query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(`${how} ${sql}`, parameters);
  return row?.['QUERY PLAN'].map(({ Plan }) => Plan) ?? [];
}

/** The indexes by which a node goes, and what it does besides passing rows on. */
function stepsIn({ 'Node Type': type, 'Index Name': index, Plans = [] }: PlanNode): string[] {
  const own = type === 'Index Scan' ? index : type;
  return [...Plans.flatMap(stepsIn), ...(own === undefined || own === 'Limit' ? [] : [own])];
}

/** The statements of a request that read, but not the ones about its token. */
async function readsOf(service: Service, path: string): Promise<Statement[]> {
  const statements = await statementsOf(service, path);
  return statements.filter(({ sql }) => /^SELECT .* FROM "plants"/s.test(sql));
}

describe.for(STATISTICS)('the query plan, with statistics %s,', ([, before, behind]) => {
  test.for(WAYS)(
    'of every list and of a read, made %s, goes by one index and sorts nothing',
    async ([, how, hasParameters]) => {
      const service = await startWithStatistics(before, behind);

      for (const [path, index] of PLANS) {
        const statements = await readsOf(service, path);
        expect(statements, path).not.toEqual([]);
        for (const statement of statements) {
          const plans = await explain(
            service,
            how,
            statement,
            hasParameters ? statement.parameters : undefined,
          );
          expect.soft(plans.flatMap(stepsIn), path).toEqual([index]);
        }
      }
    },
  );

  test('of a page reads a few blocks, at either end of a long list', async () => {
    const service = await startWithStatistics(before, behind);

    for (const path of ENDS) {
      for (const statement of await readsOf(service, path)) {
        const [plan] = await explain(
          service,
          'EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS)',
          statement,
          statement.parameters,
        );
        const { 'Shared Hit Blocks': hits = Infinity, 'Shared Read Blocks': reads = Infinity } = plan ?? {};
        expect.soft(hits + reads, path).toBeLessThan(10);
      }
    }
  });
});

test('the query plan of looking up a token goes by an index', async () => {
  const service = await startService();

  const [statement] = await statementsOf(service, '/plants');
  if (statement === undefined) throw new Error('Nothing was looked up.');
  const plans = await explain(service, 'EXPLAIN (FORMAT JSON, GENERIC_PLAN)', statement);

  expect(plans.flatMap(stepsIn)).toEqual(['access_tokens_digest_key']);
});
