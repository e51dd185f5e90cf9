import { escapeLiteral } from 'pg';
import { DataSource } from 'typeorm';
import { describe, expect, inject, test, vi } from 'vitest';
import { numbered } from '../../src/kernel/database/postgres/postgres-client.js';
import { storeManyPlants } from '../support/plants.js';
import { type Answer, type Service, startService } from '../support/service.js';
import { type Statement, statementsOf } from '../support/statements.js';

/** Plants of the store. */
const COUNT = inject('manyPlants');

/** Requests that arrive together, on plants that are far apart: so few that their blocks are a small part of all. */
const TOGETHER = Math.min(200, COUNT / 1500);

const ID = 'plants_pkey';
const TAG = 'plants_by_tag';
const NAME = 'plants_by_name';

/** Pages and counts, by the only index that leads to their plants. */
const LISTS = [
  ['/plants', ID],
  ['/plants?after=29000', ID],
  ['/plants?limit=1&after=29000', ID],
  ['/plants?tag=rare', TAG],
  ['/plants?tag=frequent', TAG],
  ['/plants?tag=frequent&after=Monstera%252020,20', TAG],
  ['/plants?limit=1&tag=frequent&after=Rare%25206001,1', TAG],
  ['/plants?name=', NAME],
  ['/plants?name=Rare', NAME],
  ['/plants?name=M', NAME],
  ['/plants?name=%F4%8F%BF%BF', NAME],
  ['/plants?limit=1&name=&after=Rare%25206001,1', NAME],
  ['/plants?name=Monstera&after=Monstera%252020,20&limit=1000', NAME],
  ['/plants?limit=1&name=Monstera&after=Monstera%25209998,9998', NAME],
  ['/plants?name=Monstera&tag=rare', TAG],
  ['/plants?name=M&tag=frequent', TAG],
  ['/plants?name=Monstera&tag=frequent&after=Monstera%25209997,9997', TAG],
  ['/plants?sort=-id', ID],
  ['/plants?sort=-id&after=29000', ID],
  ['/plants?sort=name&after=Monstera%252020,20', NAME],
  ['/plants?sort=-name', NAME],
  ['/plants?sort=-name&tag=frequent', TAG],
  ['/plants?sort=-name&tag=frequent&after=Monstera%252020,20', TAG],
  ['/plants?sort=-name&name=Monstera&after=Monstera%252020,20', NAME],
  ['/plants?sort=-name&name=Monstera&tag=frequent', TAG],
  // What counts many may as well read the whole table.
  ['/plants/count?tag=rare', TAG],
  ['/plants/count?name=Rare', NAME],
  ['/plants/count?name=Monstera&tag=rare', TAG],
] as const;

/** Requests on one plant, by its id. */
const REQUESTS: readonly (readonly [
  what: string,
  method: string,
  path: string,
  body?: (id: number) => object,
])[] = [
  ['a create', 'POST', '/plants', (id) => ({ id: COUNT + id, name: 'Aloe', tag: 'succulent' })],
  ['a read', 'GET', '/plants/:id'],
  ['a replacement', 'PUT', '/plants/:id', (id) => ({ name: `Aloe ${id}` })],
  ['a merge patch', 'PATCH', '/plants/:id', (id) => ({ tag: `succulent ${id}` })],
  ['a deletion', 'DELETE', '/plants/:id'],
];

/** What the planner knows of the plants: SQL before they are stored, and behind that. */
const STATISTICS = [
  ['of these plants', '', 'ANALYZE plants'],
  ['of an empty table', 'ANALYZE plants', ''],
  ['that nobody has made', '', ''],
] as const;

/** How PostgreSQL plans a prepared statement: at first for its parameters, and once and for all if that looks as good. */
const MODES = ['custom', 'generic'] as const;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** A plan, and what it would have compiled. */
interface Explained {
  readonly Plan: PlanNode;
  readonly JIT?: object;
}

/** Executes a statement as the service does, prepared, and undoes it; says how it went. */
async function explain(
  service: Service,
  mode: (typeof MODES)[number],
  { sql, parameters }: Statement,
): Promise<Explained> {
  const runner = service.app.get(DataSource).createQueryRunner();
  try {
    await runner.startTransaction();
    // The sessions of the service compile nothing. A plan that looks dear enough for it is a fault all the same.
    await runner.query('SET LOCAL jit = on');
    await runner.query(`SET LOCAL plan_cache_mode = force_${mode}_plan`);
    await runner.query(`PREPARE explained AS ${numbered(sql)}`);
    const literals = parameters.map((value) => (value === null ? 'NULL' : escapeLiteral(String(value))));
    const [row] = (await runner.query(
      `EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) EXECUTE explained ${literals.length > 0 ? `(${literals.join()})` : ''}`,
    )) as { 'QUERY PLAN': [Explained] }[];
    await runner.query('DEALLOCATE explained');
    if (row === undefined) throw new Error('There is no plan.');
    return row['QUERY PLAN'][0];
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** What a plan does with a table that takes longer the larger it is. */
function faultsIn({ Plan, JIT }: Explained): string[] {
  const faults = nodesOf(Plan).flatMap((node) => {
    const type = node['Node Type'];
    const isSort =
      type.includes('Sort') && nodesOf(node).some((inner) => inner['Relation Name'] !== undefined);
    return isSort || type === 'Seq Scan' ? [type] : [];
  });
  return JIT === undefined ? faults : [...faults, 'JIT'];
}

/** Pages of the database that a statement touches. */
function blocksOf({ Plan }: Explained): number {
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
}

/** How many rows are read, most of which become one text. */
function rowsOf({ Plan }: Explained): number {
  return Math.max(...nodesOf(Plan).map((node) => node['Actual Rows']));
}

function indexesOf({ Plan }: Explained): string[] {
  return nodesOf(Plan).flatMap((node) => node['Index Name'] ?? []);
}

/** A table whose rows grow in number, without the sequence of its cursors. */
const TABLE = /"plants"|\bplants_changes\b/;

/** The statements of a store, with how each is explained. */
async function explainAll(
  service: Service,
  send: () => Promise<Answer | Answer[]>,
): Promise<{ readonly how: string; readonly explained: Explained }[]> {
  const statements = (await statementsOf(service, send)).filter(({ sql }) => TABLE.test(sql));
  // The texts of pages are the same, and so are their plans.
  const distinct = [...new Map(statements.map((statement) => [statement.sql, statement])).values()];
  expect(distinct).not.toEqual([]);
  const all = [];
  for (const mode of MODES)
    for (const statement of distinct)
      all.push({
        how: `${mode}: ${statement.sql.slice(0, 1000)}`,
        explained: await explain(service, mode, statement),
      });
  return all;
}

describe.for(STATISTICS)('the query plan, with statistics %s,', ([, before, behind]) => {
  test('of every statement goes by an index, sorts nothing and compiles nothing', async () => {
    const service = await startService();
    await service.database.execute(`ALTER TABLE plants SET (autovacuum_enabled = off); ${before}`);
    await storeManyPlants(service, COUNT);
    await service.database.execute(behind);

    for (const [path, index] of LISTS) {
      for (const { how, explained } of await explainAll(service, () => service.send('GET', path))) {
        expect.soft(faultsIn(explained), `${path}, ${how}`).toEqual([]);
        expect.soft(indexesOf(explained), `${path}, ${how}`).toEqual([index]);
        // A block for each row, as they lie anywhere, and the way to the first of them; a count is of ten at most.
        const rows = path.includes('count') ? 10 : rowsOf(explained);
        expect.soft(blocksOf(explained), `${path}, ${how}`).toBeLessThan(rows + 10);
      }
    }
    for (const [what, method, path, body] of REQUESTS) {
      for (const count of [1, TOGETHER]) {
        const send = async (_: unknown, index: number) => {
          const id = Math.floor((index * COUNT) / (2 * TOGETHER)) + count;
          return service.send(method, path.replace(':id', String(id)), { body: body?.(id) });
        };
        const sendAll = async () => Promise.all(Array.from({ length: count }, send));
        for (const { how, explained } of await explainAll(service, sendAll)) {
          expect.soft(faultsIn(explained), `${what}, ${how}`).toEqual([]);
          expect.soft(blocksOf(explained), `${what}, ${how}`).toBeLessThan(10 * count);
        }
      }
    }
  });
});

test.runIf(COUNT > 120_000)(
  'the query plan of changes goes by their index, right behind an import',
  async () => {
    const service = await startService({ WEBHOOK_KEY: 'a-key-for-the-webhooks-of-the-test' });
    await service.database.execute('ALTER TABLE plants_changes SET (autovacuum_enabled = off)');
    // To sort fewer is as fast.
    await storeManyPlants(service, 120_000);
    const webhook = { url: 'https://receiver.example.org', resource: 'plants' };
    expect(await service.send('POST', '/webhooks', { body: webhook })).toMatchObject({ status: 201 });

    for (const path of [
      '/plants/changes',
      '/plants/changes?after=0',
      '/plants/changes?after=-100',
      '/webhooks',
    ])
      for (const { how, explained } of await explainAll(service, () => service.send('GET', path)))
        expect.soft(faultsIn(explained), `${path}, ${how}`).toEqual([]);
  },
);

test.runIf(COUNT > 120_000)('a search walks through the next ids, and then goes by its index', async () => {
  const service = await startService({ SEARCH: 'on' });
  // To read all of fewer is as fast.
  await storeManyPlants(service, 120_000);
  await vi.waitUntil(() => service.log.some((line) => line.includes('plants_search is complete')), {
    timeout: 30_000,
  });
  await service.database.execute('ANALYZE plants');

  for (const [path, indexes] of [
    ['/plants?search=rare+001', [[ID], [ID, 'plants_search']]],
    ['/plants?search=monstera&limit=1', [[ID]]],
    ['/plants?search=m&limit=1', [[ID, ID]]],
    ['/plants?search=m&limit=1&tag=frequent', [[TAG, TAG]]],
    ['/plants?search=m&limit=1&sort=-name', [[NAME, NAME]]],
    ['/plants/count?search=rare+frequent', [['plants_search']]],
  ] as const) {
    const all = await explainAll(service, () => service.send('GET', path));
    for (const { how, explained } of all)
      expect.soft(JSON.stringify(explained), `${path}, ${how}`).not.toContain('Seq Scan');
    expect.soft(all.map(({ explained }) => indexesOf(explained))).toEqual([...indexes, ...indexes]);
  }
});
