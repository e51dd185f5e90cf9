import { DataSource } from 'typeorm';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { emptySqlite, pathOf, type TestDatabase } from '../support/database.js';
import { createMany, plant } from '../support/plants.js';
import { createRequest, startService } from '../support/service.js';

/** The lock that another process would take to write. */
function lock(database: TestDatabase): Database.Database {
  const other = new Database(pathOf(database));
  return other.exec('BEGIN IMMEDIATE');
}

describe('the service on SQLite', () => {
  test.for([
    ['the disk is full', 'PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000'],
    ['the file is read-only', 'PRAGMA query_only = ON', 'PRAGMA query_only = OFF'],
  ] as const)(
    'answers 503 while %s, keeps what it has, is degraded, and recovers',
    async ([, harm, mend]) => {
      const service = await startService();
      const dataSource = service.app.get(DataSource);
      await createMany(service, 20);
      const before = await service.plants();

      await dataSource.query(harm);
      // Some of the small ones may find room in what the file has already; the last one needs more.
      const large = { id: 999_999, name: 'x'.repeat(16_384), tag: 'x'.repeat(16_384) };
      const answers = [...(await createMany(service, 50, 1000)), await service.create(large)];
      const [read, ready] = [await service.send('GET', '/plants/1'), await service.request('/health/ready')];
      await dataSource.query(mend);

      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, body } of refused)
        expect({ status, body }).toMatchObject({ status: 503, body: { error: 50300 } });
      expect(await service.plants()).toHaveLength(before.length + answers.length - refused.length);
      expect(read.status).toBe(200);
      expect(ready).toMatchObject({ status: 200, body: { status: 'degraded', check: 'writes' } });
      expect(await service.create(plant(1_000_000))).toMatchObject({ status: 200 });
      expect((await service.request('/health/ready')).body).toEqual({ status: 'ok' });
      const said = service.log
        .filter((line) => line.includes('degraded'))
        .map((line) => JSON.parse(line) as object);
      expect(said).toMatchObject([
        { level: 'warn', msg: expect.stringContaining('(writes)') },
        { level: 'info', msg: 'The service is not degraded any more.' },
      ]);
    },
  );

  test('answers 503 while another process locks the database, and is over when that ends', async () => {
    const service = await startService();
    const other = lock(service.database);

    const locked = await service.create({ id: 1, name: 'Aloe' });
    const ready = await service.request('/health/ready');
    other.exec('ROLLBACK');
    other.close();

    expect(locked).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(locked.headers.get('retry-after')).toBe('1');
    expect(ready).toMatchObject({ status: 200, body: { status: 'degraded', check: 'writes' } });
    expect(await service.create({ id: 1, name: 'Aloe' })).toMatchObject({ status: 200 });
    expect((await service.request('/health/ready')).body).toEqual({ status: 'ok' });
  });
});

describe('overload', () => {
  test('is refused at once with 503 and Retry-After, and ends with the load', async () => {
    const database = emptySqlite();
    const service = await startService({}, database, { writeQueueLimit: 8 });
    const create = async (id: number) => fetch(`${service.url}/plants`, createRequest(plant(id)));
    // Each has its connection already, so that all of them arrive together.
    await Promise.all(Array.from({ length: 160 }, async () => service.request('/health/live')));
    const other = lock(database);

    // While the first one waits for the lock, the others pile up.
    const answers = Array.from({ length: 160 }, async (_, id) => create(id));
    await Promise.race(answers);
    other.exec('ROLLBACK');
    other.close();

    const bodies = await Promise.all(answers.map(async (answer) => (await answer).text()));
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(bodies).toContain('{"error":50300,"message":"Too many writes are waiting."}');
    const created = statuses.filter((status) => status === 200).length;
    expect(await database.plants()).toHaveLength(created);
    expect((await create(1_000_000)).status).toBe(200);
  });
});
