import { DataSource } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AccessTokensService } from '../src/auth/access-tokens.service.js';
import { runService } from './support/running-process.js';
import { type Answer, createRequest, type Service, startService, TOKEN } from './support/service.js';
import { readPlants } from './support/stored-plants.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** How often the service is killed; `npm run test:durability` does it more often. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const CONNECTIONS = 64;

function plant(id: number) {
  return { id, name: `plant ${id}`, tag: 'durable' };
}

/** Creates plants over many connections until the service is gone; returns the ids that were answered 200. */
async function createUntilGone(
  url: string,
  firstId: number,
  onCreated: (count: number) => void,
): Promise<number[]> {
  const created: number[] = [];
  let nextId = firstId;
  const client = async () => {
    for (;;) {
      const id = nextId++;
      const response = await fetch(`${url}/plants`, createRequest(plant(id)));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ name: `plant ${id}`, tag: 'durable' });
      created.push(id);
      onCreated(created.length);
    }
  };
  const gone = await Promise.allSettled(Array.from({ length: CONNECTIONS }, client));
  for (const { reason } of gone as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(TypeError);
  return created;
}

async function createMany(service: Service, count: number, firstId = 1): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => service.create(plant(firstId + index))),
  );
}

/** Runs SQL on the connection of the service itself. */
async function onConnection(service: Service, sql: string): Promise<unknown> {
  return service.app.get(DataSource).query(sql);
}

describe('durability', () => {
  test(
    `loses nothing that was answered 200 in ${KILLS} kills under load`,
    { timeout: 20_000 + KILLS * 10_000 },
    async () => {
      const folder = temporaryFolder();
      const created: number[] = [];

      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = await runService(folder, { BOOTSTRAP_TOKEN: TOKEN });
        const killAfter = 200 + Math.floor(Math.random() * 2000);
        created.push(
          ...(await createUntilGone(service.url, kill * 1_000_000, (count) => {
            if (count === killAfter) service.child.kill('SIGKILL');
          })),
        );
        await service.exited;
      }

      const last = await runService(folder, { BOOTSTRAP_TOKEN: TOKEN });
      const stored = new Map(
        readPlants(join(folder, 'data', 'plant-store.db')).map((row) => [Number(row.id), row]),
      );
      expect(created.length).toBeGreaterThan(200 * KILLS);
      expect(created.filter((id) => stored.get(id)?.name !== `plant ${id}`)).toEqual([]);
      last.child.kill('SIGTERM');
      expect(await last.exited).toBe(0);
    },
  );

  test.for([
    ['the disk is full', 'PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000'],
    ['the file is read-only', 'PRAGMA query_only = ON', 'PRAGMA query_only = OFF'],
  ] as const)('answers 503 while %s, keeps what it has, and recovers', async ([, harm, mend]) => {
    const service = await startService();
    await createMany(service, 100);
    const before = service.plants();

    await onConnection(service, harm);
    const answers = await createMany(service, 500, 1000);
    await onConnection(service, mend);

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused)
      expect({ status, body }).toMatchObject({ status: 503, body: { error: 50300 } });
    expect(service.plants()).toHaveLength(before.length + answers.length - refused.length);
    expect(await service.create(plant(1_000_000))).toMatchObject({ status: 200 });
  });

  test('lets no neighbour suffer from a plant that the database refuses', async () => {
    const service = await startService();
    const database = new Database(service.databasePath);
    database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN new.name = 'plant 13'
                   BEGIN SELECT RAISE(ABORT, 'unlucky'); END`);
    database.close();

    const answers = await createMany(service, 100);

    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed).toMatchObject([{ status: 400, body: { error: 50000 } }]);
    expect(service.plants()).toHaveLength(99);
    expect(service.plants().map(({ id }) => id)).not.toContain(13n);
  });

  test('never holds a transaction open while other requests run, and none joins another write', async () => {
    const service = await startService();
    const { databaseConnection } = service.app.get(DataSource).driver as BetterSqlite3Driver;
    let watching = true;
    let seenOpen = 0;
    const watch = () => {
      seenOpen += databaseConnection.inTransaction ? 1 : 0;
      if (watching) setImmediate(() => process.nextTick(watch));
    };
    watch();

    const tokens = service.app.get(AccessTokensService);
    const issue = async () => tokens.issue({ name: 'beside', scopes: ['plants:read'], expiresAt: null });
    const [answers, issued] = await Promise.all([
      Promise.all(Array.from({ length: 400 }, async (_, index) => service.create(plant(index % 300)))),
      Promise.all(Array.from({ length: 50 }, issue)),
    ]);
    watching = false;

    expect(seenOpen).toBe(0);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
    expect(service.plants()).toHaveLength(300);
    const listed = new Set((await tokens.list()).map(({ id }) => id));
    expect(issued.filter(({ token }) => !listed.has(token.id))).toEqual([]);
  });
});

describe('overload', () => {
  test('is refused at once with 503 and a time to come back, and is over when the load is', async () => {
    const folder = temporaryFolder();
    const service = await runService(folder, { BOOTSTRAP_TOKEN: TOKEN, WRITE_QUEUE_LIMIT: '8' });
    const create = async (id: number) => fetch(`${service.url}/plants`, createRequest(plant(id)));
    const other = new Database(join(folder, 'data', 'plant-store.db'));
    other.exec('BEGIN IMMEDIATE');

    // While the first one waits for the lock, the others pile up.
    const answers = Array.from({ length: 640 }, async (_, id) => create(id));
    await Promise.race(answers);
    other.exec('ROLLBACK');
    other.close();

    const bodies = await Promise.all(answers.map(async (answer) => (await answer).text()));
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(bodies).toContain('{"error":50300,"message":"Too many writes are waiting."}');
    const created = statuses.filter((status) => status === 200).length;
    expect(readPlants(join(folder, 'data', 'plant-store.db'))).toHaveLength(created);
    expect((await create(1_000_000)).status).toBe(200);
  });
});
