import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource, type Repository } from 'typeorm';
import { describe, expect, inject, test } from 'vitest';
import { toApiException } from '../src/kernel/http/pipeline/error.filter.js';
import { Plant } from '../src/plants/plant.entity.js';
import type { Collection } from '../src/kernel/resource/collection.js';
import { collectionToken } from '../src/kernel/resource/resource.module.js';
import { Snapshots } from '../src/kernel/store/scans/snapshots.js';
import { createMany, newPlant, plantRow } from './support/plants.js';
import { type Changes, type Service, startService } from './support/service.js';

/** Steps of a loop, which take longer than a test may. */
const MOST_STEPS = 20_000;

const INSERT_2000 = `INSERT INTO plants (id, name) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  SELECT i, 'Aloe' FROM n`;

const ALWAYS = { ifMatch: undefined, mustNotExist: false };

const named = (id: number, name = 'Aloe') => plantRow(BigInt(id), name);

async function startWithTypeOrm(database: Changes['database'] = {}) {
  const service = await startService({}, undefined, { database });
  const dataSource = service.app.get(DataSource);
  const plants = service.app.get<Repository<Plant>>(getRepositoryToken(Plant), { strict: false });
  return { service, dataSource, plants };
}

/** Begins a transaction that has inserted a plant, and waits for the test to end it. */
async function beginInsert(dataSource: DataSource, plant: Plant) {
  const { promise: end, resolve: commit, reject: fail } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const transaction = dataSource.transaction(async (manager) => {
    await manager.insert(Plant, plant);
    begun.resolve();
    await end;
    return manager.count(Plant);
  });
  transaction.catch(() => undefined);
  await begun.promise;
  return { transaction, commit, fail };
}

async function errorOf(work: Promise<unknown>): Promise<number | undefined> {
  return work.then(
    () => undefined,
    (thrown: unknown) => toApiException(thrown).error,
  );
}

async function ids(service: Service): Promise<number[]> {
  return (await service.plants()).map(({ id }) => Number(id));
}

describe('a transaction of TypeORM', () => {
  test('that fails takes nothing along that others have written, and shows them nothing', async () => {
    const { service, dataSource, plants } = await startWithTypeOrm();
    const { transaction, fail } = await beginInsert(dataSource, named(1));

    const others = Promise.all([service.create({ id: 2, name: 'Beside' }), plants.save(named(3))]);
    const seen = await service.send('GET', '/plants/1');
    fail(new Error('refused'));
    const [created] = await others;

    expect(seen.status).toBe(404);
    expect(created.status).toBe(200);
    await expect(transaction).rejects.toThrow('refused');
    expect(await ids(service)).toEqual([2, 3]);
  });

  test('that commits is stored as a whole, with a part of it rolled back', async () => {
    const { service, dataSource } = await startWithTypeOrm();

    await dataSource.transaction('SERIALIZABLE', async (manager) => {
      await manager.insert(Plant, named(1));
      await manager
        .transaction(async (inner) => {
          await inner.insert(Plant, named(2));
          throw new Error('undo the inner part');
        })
        .catch(() => undefined);
      await manager.insert(Plant, named(3));
    });

    expect(await ids(service)).toEqual([1, 3]);
  });

  test('in which nothing happens is rolled back, and nobody waits for it any more', async () => {
    const { service, dataSource } = await startWithTypeOrm({ idleInTransactionTimeout: 500 });
    const { transaction, commit } = await beginInsert(dataSource, named(1));

    const created = await service.create({ id: 1, name: 'Beside' });
    commit();

    expect(created.status).toBe(200);
    expect(await errorOf(transaction)).toBe(50300);
    expect(await service.plants()).toMatchObject([{ name: 'Beside' }]);
    expect((await service.create({ id: 2, name: 'After' })).status).toBe(200);
  });

  test.for<[string, (plants: Collection<Plant>) => Promise<unknown>]>([
    ['a create', (plants) => plants.create(newPlant(2n, 'Beside'))],
    ['a patch', (plants) => plants.patch(1n, { name: 'Beside' }, ALWAYS)],
    ['a change', (plants) => plants.change(1n, () => ({ name: 'Beside' }))],
    ['a delete', (plants) => plants.remove(1n, ALWAYS)],
    ['a batch', (plants) => plants.batch([{ kind: 'delete', key: 1n, preconditions: ALWAYS }])],
    ['a read', (plants) => plants.find(1n)],
    ['a list', (plants) => plants.list({ order: ['id'] }, { limit: 1 })],
    ['a count', (plants) => plants.count({ order: ['id'] })],
  ])('takes no %s of a Collection, which would not be a part of it', async ([, use]) => {
    const { service, dataSource } = await startWithTypeOrm();
    const plants = service.app.get<Collection<Plant>>(collectionToken(Plant), { strict: false });

    const transaction = dataSource.transaction(async (manager) => {
      await manager.insert(Plant, named(1));
      await use(plants);
    });

    await expect(transaction).rejects.toThrow('A Collection takes no part in a transaction');
    expect(await ids(service)).toEqual([]);
    await service.create({ id: 1, name: 'Aloe' });
    await use(plants);
  });

  test.runIf(inject('database') === 'sqlite')(
    'that goes on and on is rolled back, and others write',
    async () => {
      const { service, dataSource } = await startWithTypeOrm({ transactionTimeout: 200 });
      const beside = { isCreated: false };

      const transaction = dataSource.transaction(async (manager) => {
        await manager.insert(Plant, named(1));
        while (!beside.isCreated) await manager.query('SELECT 1');
      });
      transaction.catch(() => undefined);
      const created = await service.create({ id: 2, name: 'Beside' });
      beside.isCreated = true;

      expect(created.status).toBe(200);
      await expect(transaction).rejects.toThrow('rolled back: it took more than 200 ms');
      expect(await ids(service)).toEqual([2]);
    },
  );

  test('that is released without an end is rolled back', async () => {
    const { service, dataSource } = await startWithTypeOrm();
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.manager.insert(Plant, named(1));

    await runner.release();
    const created = await createMany(service, 3);

    expect(created.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await ids(service)).toEqual([1, 2, 3]);
    await expect(runner.query('SELECT 1')).rejects.toThrow('released');
  });
});

describe('a loop of TypeORM', () => {
  test.for([
    ['statements', async ({ plants }) => plants.findOneBy({ id: 1n })],
    [
      'transactions',
      async ({ dataSource }) =>
        dataSource.transaction(async (manager) => manager.update(Plant, { id: 1n }, { name: 'Aloe' })),
    ],
    ['pages', async ({ plants }) => plants.find({ take: 2_000 })],
    ['writes', async ({ plants }) => plants.update({ id: 1n }, { name: 'Aloe' })],
  ] as const satisfies readonly [
    string,
    (parts: Awaited<ReturnType<typeof startWithTypeOrm>>) => Promise<unknown>,
  ][])('of %s lets others write and read before it ends', async ([, step]) => {
    const parts = await startWithTypeOrm();
    const { service } = parts;
    await service.database.execute(INSERT_2000);
    const beside = { isDone: false };

    const others = (async () => {
      for (const id of [3_001, 3_002, 3_003]) {
        expect(await service.create({ id, name: 'Beside' })).toMatchObject({ status: 200 });
        expect(await service.send('GET', `/plants/${id}`)).toMatchObject({ status: 200 });
      }
    })().finally(() => (beside.isDone = true));
    let steps = 0;
    for (; !beside.isDone && steps < MOST_STEPS; steps += 1) await step(parts);
    await others;

    expect(steps).toBeLessThan(MOST_STEPS);
  });
});

describe('TypeORM', () => {
  test('reads integers exactly, however large', async () => {
    const { service, dataSource, plants } = await startWithTypeOrm();
    const large = [-(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n];
    for (const id of [...large, 7n]) await plants.insert(plantRow(id, 'Aloe'));

    const found = await plants.find({ order: { id: 'ASC' } });
    const [row] = await dataSource.query<[{ count: unknown }]>('SELECT count(*) AS count FROM plants');
    const last = await service.app
      .get(Snapshots, { strict: false })
      .readOnce((queries) => queries.query('SELECT count(*) AS count, max(id) AS last FROM plants'));

    expect(found.map(({ id }) => id)).toEqual([large[0], 7n, large[1], large[2]]);
    expect(Number(row.count)).toBe(4);
    expect(last).toEqual([{ count: 4, last: large[2] }]);
    expect(await plants.findOneByOrFail({ id: 2n ** 53n + 1n })).toMatchObject({ name: 'Aloe' });
    expect(await service.send('GET', '/plants/9007199254740993')).toMatchObject({ status: 200 });
  });

  test('saves many rows at once', async () => {
    // The last of them has a connection when the others have been saved.
    const { service, plants } = await startWithTypeOrm({ connectTimeout: 20_000 });

    const saved = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        await service.create({ id: 1000 + index, name: 'Beside' });
        return plants.save(named(index));
      }),
    );

    expect(saved).toHaveLength(64);
    expect(await service.plants()).toHaveLength(128);
  });

  test('stores one of many concurrent saves of one new id', async () => {
    const { service, plants } = await startWithTypeOrm();

    const errors = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => errorOf(plants.save(named(1, `Aloe ${index}`)))),
    );

    expect(errors.filter((error) => error !== undefined && error !== 40900)).toEqual([]);
    expect(errors).toContain(undefined);
    expect(await service.plants()).toHaveLength(1);
  });

  test('takes the placeholders of either database, in transactions, too', async () => {
    const { service, dataSource } = await startWithTypeOrm();
    await service.create({ id: 1, name: 'Aloe vera' });
    const statements = [
      ['SELECT name FROM plants WHERE id = ? AND name LIKE ?', [1n, 'Aloe%']],
      ['SELECT name FROM plants WHERE id = $1 AND name LIKE $2 AND id = $1', [1n, 'Aloe%']],
    ] as const;

    for (const [text, parameters] of statements) {
      expect.soft(await dataSource.query(text, [...parameters]), text).toEqual([{ name: 'Aloe vera' }]);
      await dataSource.transaction(async (manager) => {
        expect.soft(await manager.query(text, [...parameters]), text).toEqual([{ name: 'Aloe vera' }]);
      });
    }
  });

  test('begins no transaction on a connection of others', async () => {
    const { service, dataSource } = await startWithTypeOrm();

    for (const [count, text] of ['BEGIN', ' /* by hand */ begin', '-- by hand\nSAVEPOINT one'].entries()) {
      await dataSource.query(text).catch(() => undefined);

      const created = await createMany(service, 3, 3 * count);
      expect(created.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await service.plants()).toHaveLength(3 * (count + 1));
    }
  });

  test.runIf(inject('database') === 'sqlite')(
    'refuses a write that waits too long for its turn',
    async () => {
      const { service, dataSource } = await startWithTypeOrm({ statementTimeout: 100 });
      const { transaction, commit } = await beginInsert(dataSource, named(1));

      const answer = await service.create({ id: 2, name: 'Beside' });
      commit();

      expect(answer).toMatchObject({ status: 503, body: { error: 50300 } });
      expect(await transaction).toBe(1);
      expect((await service.create({ id: 2, name: 'Beside' })).status).toBe(200);
    },
  );

  test('breaks a rule of the database with the error of that rule', async () => {
    const { service, dataSource } = await startWithTypeOrm();
    await service.database.execute(`
      CREATE TABLE parents (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE CHECK (code <> ''));
      CREATE TABLE children (parent INTEGER REFERENCES parents);
      CREATE TABLE kept (parent INTEGER REFERENCES parents ON DELETE RESTRICT);
      INSERT INTO parents VALUES (1, 'a'), (2, 'b');
      INSERT INTO children VALUES (1);
      INSERT INTO kept VALUES (2)`);

    for (const [sql, error] of [
      ["INSERT INTO parents VALUES (1, 'c')", 40900],
      ["INSERT INTO parents VALUES (3, 'a')", 40902],
      ["INSERT INTO parents VALUES (3, '')", 40001],
      ['INSERT INTO parents VALUES (3, NULL)', 40001],
      ['INSERT INTO children VALUES (3)', 40401],
      ['UPDATE children SET parent = 3', 40401],
      ['DELETE FROM parents WHERE id = 1', 40903],
      ['DELETE FROM parents WHERE id = 2', 40903],
    ] as const)
      expect(await errorOf(dataSource.query(sql)), sql).toBe(error);
  });
});
