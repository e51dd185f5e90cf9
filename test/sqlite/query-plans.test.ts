import { AbstractLogger, DataSource } from 'typeorm';
import { describe, expect, test, vi } from 'vitest';
import { storeManyPlants } from '../support/plants.js';
import { startService } from '../support/service.js';
import { type Statement, statementsOf } from '../support/statements.js';

const NAME = 'SEARCH plants USING INDEX plants_by_name';
const TAG = 'SEARCH plants USING INDEX plants_by_tag';
const ID = 'SEARCH plants USING INTEGER PRIMARY KEY';

/** The plans of the statements on plants, one after the other, without steps that sort. */
const PLANS = [
  ['/plants/7', [`${ID} (rowid=?)`]],
  // In the order of the ids.
  ['/plants', ['SCAN plants']],
  ['/plants?after=29000', [`${ID} (rowid>?)`]],
  ['/plants?tag=rare', [`${TAG} (<expr>=?)`]],
  ['/plants?tag=frequent&limit=1', [`${TAG} (<expr>=?)`]],
  [
    '/plants?tag=frequent&after=Monstera%25209001,9001&limit=1',
    [`${TAG} (<expr>=? AND <expr>=? AND id>?)`, `${TAG} (<expr>=? AND <expr>>?)`],
  ],
  ['/plants?name=', [`${NAME} (<expr>>? AND <expr><?)`]],
  ['/plants?name=Rare', [`${NAME} (<expr>>? AND <expr><?)`]],
  [
    '/plants?name=Monstera&after=Monstera%25209001,9001&limit=1',
    [`${NAME} (<expr>=? AND id>?)`, `${NAME} (<expr>>? AND <expr><?)`],
  ],
  ['/plants?name=Monstera&tag=rare', [`${TAG} (<expr>=? AND <expr>>? AND <expr><?)`]],
  [
    '/plants?name=Monstera&tag=frequent&after=Monstera%25209001,9001&limit=1',
    [`${TAG} (<expr>=? AND <expr>=? AND id>?)`, `${TAG} (<expr>=? AND <expr>>? AND <expr><?)`],
  ],
] as const;

/** Counts, and how their statements, of which some are alike, get at the plants: by the index alone. */
const COUNTS = [
  ['/plants/count', ['SCAN plants', `${ID} (rowid>?)`]],
  ['/plants/count?tag=rare', [`${TAG} (<expr>=?)`]],
  [
    '/plants/count?tag=frequent',
    [`${TAG} (<expr>=?)`, `${TAG} (<expr>=? AND <expr>=? AND id>?)`, `${TAG} (<expr>=? AND <expr>>?)`],
  ],
  ['/plants/count?name=', [`${NAME} (<expr>>? AND <expr><?)`, `${NAME} (<expr>=? AND id>?)`]],
  ['/plants/count?name=Monstera', [`${NAME} (<expr>>? AND <expr><?)`, `${NAME} (<expr>=? AND id>?)`]],
  ['/plants/count?name=Monstera&tag=rare', [`${TAG} (<expr>=? AND <expr>>? AND <expr><?)`]],
] as const;

interface Instruction {
  readonly opcode: string;
  /** The cursor. */
  readonly p1: number;
  /** The root page of what a cursor is opened on. */
  readonly p2: number;
}

describe('the query plan', () => {
  test('of every list and of a read goes by an index, as far as the last condition', async () => {
    const service = await startService();
    await storeManyPlants(service);
    const dataSource = service.app.get(DataSource);
    const stepsOf = async ({ sql, parameters }: Statement) => {
      const plan = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      return plan.map(({ detail }) => detail);
    };

    // The first request also looks up its token.
    const [token] = await statementsOf(service, () => service.send('GET', '/plants/1'));
    expect(token && (await stepsOf(token))).toEqual([
      'SEARCH AccessToken USING INDEX sqlite_autoindex_access_tokens_2 (digest=?)',
    ]);
    for (const [path, plans] of PLANS) {
      const statements = await statementsOf(service, () => service.send('GET', path));

      const steps = await Promise.all(statements.map(stepsOf));

      expect.soft(steps, path).toEqual(plans.map((plan) => [plan]));
      for (const [index, { sql, parameters }] of statements.entries()) {
        const lookedUp = steps[index]?.join().match(/\?/g)?.length ?? 0;
        const limits = sql.includes('LIMIT') ? 1 : 0;
        expect.soft(lookedUp, `${path}: ${sql}`).toBe(parameters.length - limits);
      }
    }
  });

  test('of every count goes by an index, sorts nothing and reads no plant', async () => {
    const service = await startService();
    await storeManyPlants(service);
    const dataSource = service.app.get(DataSource);
    const [table] = await dataSource.query<{ rootpage: number }[]>(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'plants'",
    );

    for (const [path, plans] of COUNTS) {
      // A snapshot has a data source of its own.
      const log = vi.spyOn(AbstractLogger.prototype, 'logQuery');
      await service.send('GET', path);
      const statements = log.mock.calls.filter(([sql]) => sql.includes('"plants"'));
      log.mockRestore();
      const steps = new Set<string>();
      for (const [sql, parameters = []] of statements) {
        const plan = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
        for (const { detail } of plan) steps.add(detail.replace('COVERING ', ''));
        const program = await dataSource.query<Instruction[]>(`EXPLAIN ${sql}`, parameters);
        const cursors = program.filter(({ opcode, p2 }) => opcode === 'OpenRead' && p2 === table?.rootpage);
        for (const { p1: cursor } of cursors)
          expect(
            program.filter(({ opcode, p1 }) => opcode === 'Column' && p1 === cursor),
            sql,
          ).toEqual([]);
      }

      expect.soft(steps, path).toEqual(new Set(plans));
    }
  });
});
