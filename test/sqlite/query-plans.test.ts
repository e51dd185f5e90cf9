import { Worker } from 'node:worker_threads';
import { AbstractLogger, DataSource } from 'typeorm';
import { expect, test, vi } from 'vitest';
import type { SnapshotRequest } from '../../src/kernel/database/sqlite/snapshot-worker.js';
import { storeManyPlants } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';

const NAME = 'INDEX plants_by_name';
const TAG = 'INDEX plants_by_tag';
const ID = 'INTEGER PRIMARY KEY';

/** Lists, and the only index that leads to their plants. */
const LISTS = [
  ['/plants/7', ID],
  ['/plants?after=29000', ID],
  ['/plants?tag=rare', TAG],
  ['/plants?tag=frequent&limit=1', TAG],
  ['/plants?tag=frequent&after=Monstera%25209001,9001&limit=1', TAG],
  ['/plants?name=', NAME],
  ['/plants?name=Rare', NAME],
  ['/plants?name=Monstera&after=Monstera%25209001,9001&limit=1', NAME],
  ['/plants?name=Monstera&tag=rare', TAG],
  ['/plants?name=Monstera&tag=frequent&after=Monstera%25209001,9001&limit=1', TAG],
  ['/plants?sort=-id&after=29000', ID],
  ['/plants?sort=name&after=Monstera%25209001,9001&limit=1', NAME],
  ['/plants?sort=-name&after=Monstera%25209001,9001&limit=1', NAME],
  ['/plants?sort=-name&name=Monstera&tag=frequent&after=Monstera%25209001,9001&limit=1', TAG],
] as const;

const COUNTS = [
  ['/plants/count?tag=rare', TAG],
  ['/plants/count?tag=frequent', TAG],
  ['/plants/count?name=', NAME],
  ['/plants/count?name=Monstera', NAME],
  ['/plants/count?name=Monstera&tag=rare', TAG],
] as const;

interface Instruction {
  readonly opcode: string;
  /** The cursor. */
  readonly p1: number;
  /** The root page of what a cursor is opened on. */
  readonly p2: number;
}

/** The statements on plants that a request leads to, also those in a snapshot, which a thread reads. */
async function statementsFor(
  service: Service,
  path: string,
): Promise<[sql: string, parameters: unknown[]][]> {
  const log = vi.spyOn(AbstractLogger.prototype, 'logQuery');
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  expect((await service.send('GET', path)).status).toBe(200);
  const read = post.mock.calls.map(([request]) => request as SnapshotRequest);
  const statements = [
    ...log.mock.calls.map(([sql, parameters]): [string, unknown[]] => [sql, (parameters ?? []) as unknown[]]),
    ...read.map(({ text = '', parameters = [] }): [string, unknown[]] => [text, [...parameters]]),
  ].filter(([sql]) => sql.includes('"plants"'));
  log.mockRestore();
  post.mockRestore();
  expect(statements).not.toEqual([]);
  return statements;
}

test('every list and every count goes by an index, as far as the last condition, and sorts nothing', async () => {
  const service = await startService();
  await storeManyPlants(service);
  const dataSource = service.app.get(DataSource);

  for (const [path, index] of [...LISTS, ...COUNTS]) {
    for (const [sql, parameters] of await statementsFor(service, path)) {
      const plan = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);

      // Each condition is looked up, and nothing else is done, such as a sort.
      // What is found becomes one text.
      const steps = plan.filter(({ detail }) => !/^(CO-ROUTINE|SCAN) found$/.test(detail));
      const [lookUp = '', ...others] = steps.map(({ detail }) => detail.replace('COVERING ', ''));
      expect.soft(lookUp, path).toContain(`SEARCH plants USING ${index} (`);
      expect.soft(others, path).toEqual([]);
      const limits = /LIMIT \D/.test(sql) ? 1 : 0;
      expect.soft(lookUp.match(/\?/g), `${path}: ${sql}`).toHaveLength(parameters.length - limits);
    }
  }
});

test('every count reads indexes alone', async () => {
  const service = await startService();
  await storeManyPlants(service);
  const dataSource = service.app.get(DataSource);
  const [table] = await dataSource.query<{ rootpage: number }[]>(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'plants'",
  );

  for (const [path] of COUNTS) {
    for (const [sql, parameters] of await statementsFor(service, path)) {
      const program = await dataSource.query<Instruction[]>(`EXPLAIN ${sql}`, parameters);

      const opened = program.filter(({ opcode, p2 }) => opcode === 'OpenRead' && p2 === table?.rootpage);
      const cursors = new Set(opened.map(({ p1 }) => p1));
      expect
        .soft(
          program.filter(({ opcode, p1 }) => opcode === 'Column' && cursors.has(p1)),
          sql,
        )
        .toEqual([]);
    }
  }
});
