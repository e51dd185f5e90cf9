import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { emptyDatabase, postgresAt } from '../support/database.js';
import { beginExport } from '../support/network/exchange.js';
import { readMetrics } from '../support/metrics.js';
import { createMany, plant } from '../support/plants.js';
import { createDatabase, PostgresServer, query } from '../support/postgres-server.js';
import { type Answer, importRequest, type Service, startService } from '../support/service.js';
import { issue } from '../support/tokens.js';
import { startProxy } from '../support/network/tcp-proxy.js';

/** How long a request may wait: for a connection or a statement, and the second that a silent server is given. */
const TIMEOUTS = { database: { connectTimeout: 800, statementTimeout: 800 } };
const BOUND_MS = 6_000;
const UNAVAILABLE = { status: 503, body: { error: 50300 } };

/** A server that a test may harm. */
async function ownServer(): Promise<PostgresServer> {
  const server = await PostgresServer.start();
  onTestFinished(() => server.remove());
  return server;
}

/** A service that reaches PostgreSQL through a proxy. */
async function startBehindProxy(environment: Record<string, string> = {}) {
  const direct = await emptyDatabase();
  const proxy = await startProxy(Number(new URL(direct.url).port));
  const url = Object.assign(new URL(direct.url), { port: proxy.port }).href;
  return { proxy, service: await startService(environment, { ...direct, url }, TIMEOUTS) };
}

/** An answer that has to come in time, whatever it is. */
async function inTime(answer: Promise<Answer>): Promise<Answer> {
  const started = performance.now();
  const given = await answer;
  expect(performance.now() - started).toBeLessThan(BOUND_MS);
  return given;
}

async function recovers(service: Service, id: number): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await service.request('/health/ready')).toMatchObject({ status: 200 });
      expect((await service.create(plant(id))).body).toMatchObject({ name: `plant ${id}` });
    },
    { timeout: 10_000, interval: 50 },
  );
}

describe('while PostgreSQL', () => {
  test.for<[string, (server: PostgresServer) => unknown, (server: PostgresServer) => unknown]>([
    ['is shut down', (server) => server.stop('SIGINT'), (server) => server.resumeOrStart()],
    ['has crashed', (server) => server.stop('SIGQUIT'), (server) => server.resumeOrStart()],
    ['is frozen', (server) => server.pause(), (server) => server.resume()],
  ])('%s, requests get 503 in time, metrics go on, and all recovers by itself', async ([, harm, mend]) => {
    const server = await ownServer();
    const service = await startService({}, postgresAt(await createDatabase(server.url())), TIMEOUTS);
    expect(await createMany(service, 50)).toMatchObject(Array.from({ length: 50 }, () => ({ status: 200 })));
    const revoked = await issue(service, ['metrics:read']);
    const metricsFor = async (shown: Record<string, string>) =>
      service.send('GET', '/metrics', { headers: shown });
    expect(await metricsFor(revoked.headers)).toMatchObject({ status: 200 });
    await service.send('DELETE', `/tokens/${revoked.id}`);

    await harm(server);
    // Together, while the token is still remembered. If it is, the lines are answered one by one.
    const [lines, ...answers] = await Promise.all([
      inTime(service.request('/plants/import', importRequest([plant(200), plant(201)]))),
      ...Array.from({ length: 20 }, async (_, id) => inTime(service.create(plant(id + 100)))),
    ]);
    const others = await Promise.all([
      inTime(service.send('GET', '/plants')),
      inTime(service.send('GET', '/plants/count')),
      inTime(service.send('GET', '/plants/1')),
      inTime(service.send('PUT', '/plants/1', { body: { name: 'Aloe' } })),
      inTime(service.send('PATCH', '/plants/1', { body: { name: 'Aloe' } })),
      inTime(service.send('DELETE', '/plants/1')),
    ]);
    const whole = await inTime(service.send('GET', '/plants/export'));
    const ready = await inTime(service.request('/health/ready'));
    const live = await service.request('/health/live');
    const metrics = await readMetrics(service);
    const strangers = [
      await metricsFor(revoked.headers),
      await metricsFor({ Authorization: 'Bearer nobody' }),
    ];
    await mend(server);

    for (const answer of [...answers, ...others, ...strangers]) {
      expect(answer).toMatchObject(UNAVAILABLE);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(lines.text.match(/"error":50300/g)).toHaveLength(lines.status === 200 ? 2 : 1);
    expect([whole, ready]).toMatchObject([UNAVAILABLE, UNAVAILABLE]);
    expect(live.status).toBe(200);
    expect(metrics.get('plant_store_database_up')).toBe(0);
    expect(metrics.get('plant_store_errors_total{error="50300"}')).toBeGreaterThan(0);
    await recovers(service, 1000);
    expect((await readMetrics(service)).get('plant_store_database_up')).toBe(1);
    expect((await service.plants()).filter(({ id }) => id <= 50n)).toHaveLength(50);
  });

  test('is frozen in the middle of an export, a stop ends all the same', async () => {
    const server = await ownServer();
    const database = await createDatabase(server.url());
    const service = await startService({}, postgresAt(database), { timeouts: { shutdown: 200 } });
    await query(
      database,
      "INSERT INTO plants (id, name) SELECT id, repeat('x', 100000) FROM generate_series(1, 500) AS id",
    );
    const exchange = beginExport(service);
    await exchange.response;

    server.pause();
    await service.stop();

    await expect(exchange.body()).rejects.toThrow('aborted');
  });

  test('ends its connection, an export breaks off, and the next one is whole', async () => {
    const service = await startService({}, undefined, TIMEOUTS);
    await service.database.execute(
      "INSERT INTO plants (id, name) SELECT id, repeat('x', 16000) FROM generate_series(1, 1600) AS id",
    );
    const exchange = beginExport(service);
    await exchange.response;

    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE state = 'idle in transaction' AND datname = current_database()`;
    await vi.waitUntil(async () => (await query(service.database.url, end)).length > 0);

    await expect(exchange.body()).rejects.toThrow('aborted');
    await vi.waitUntil(() => service.log.some((line) => line.includes('"context":"ErrorFilter"')));
    expect(service.log.join('')).not.toContain('"level":"error"');
    const { text } = await service.send('GET', '/plants/export');
    expect(text.split('\n')).toHaveLength(1601);
  });

  test('has a lock on the table, creates get 503 in time and leave nothing behind', async () => {
    const service = await startService({}, undefined, TIMEOUTS);
    await service.database.execute('BEGIN; LOCK TABLE plants');

    const answers = await Promise.all([1, 2, 3].map(async (id) => inTime(service.create(plant(id)))));
    await service.database.execute('ROLLBACK');

    for (const answer of answers) expect(answer).toMatchObject(UNAVAILABLE);
    expect(await service.plants()).toEqual([]);
    await recovers(service, 1);
  });

  test('is busy with every connection of the pool, requests get 503 in time', async () => {
    const service = await startService({ DATABASE_POOL_SIZE: '2' }, undefined, TIMEOUTS);
    await service.create(plant(1));
    const taken = [1, 2].map(() => service.app.get(DataSource).createQueryRunner());
    await Promise.all(taken.map(async (runner) => runner.connect()));

    expect(await inTime(service.create(plant(2)))).toMatchObject(UNAVAILABLE);

    await Promise.all(taken.map(async (runner) => runner.release()));
    await recovers(service, 2);
  });

  test('was lost before it could answer, the outcome is unknown: 503, and a retry tells', async () => {
    const { proxy, service } = await startBehindProxy();
    await service.create(plant(1));

    proxy.loseAnswers();
    const answer = await inTime(service.create(plant(2)));
    proxy.mend();

    expect(answer).toMatchObject(UNAVAILABLE);
    expect(await service.plants()).toMatchObject([{ id: 1n }, { id: 2n }]);
    await vi.waitFor(async () =>
      expect(await service.create(plant(2))).toMatchObject({ status: 400, body: { error: 40900 } }),
    );
  });

  test('falls silent, one request gets 503 for each connection and the next a new connection', async () => {
    const { proxy, service } = await startBehindProxy({ DATABASE_POOL_SIZE: '2' });
    await service.create(plant(1));

    proxy.silence();

    expect(await inTime(service.create(plant(2)))).toMatchObject(UNAVAILABLE);
    await inTime(service.create(plant(3)));
    expect(await inTime(service.create(plant(4)))).toMatchObject({ status: 200 });
  });

  test('fails over to a standby, creates get 503 until it is promoted, and nothing is lost', async () => {
    const primary = await ownServer();
    const direct = await createDatabase(primary.url());
    await primary.stop();
    const standby = await primary.copy();
    onTestFinished(() => standby.remove());
    appendFileSync(join(standby.folder, 'standby.signal'), '');
    appendFileSync(
      join(standby.folder, 'postgresql.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`,
    );
    await primary.resumeOrStart();
    await standby.resumeOrStart();
    await query(primary.url(), `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await query(primary.url(), 'SELECT pg_reload_conf()');
    const proxy = await startProxy(primary.port);
    const store = postgresAt(Object.assign(new URL(direct), { port: standby.port }).href);
    const url = Object.assign(new URL(direct), { port: proxy.port }).href;
    const service = await startService({}, { ...store, url }, TIMEOUTS);
    const created = await createMany(service, 100);

    await primary.stop('SIGQUIT');
    proxy.leadTo(standby.port);
    const refused = await inTime(service.create(plant(1000)));
    const again = await inTime(service.create(plant(1001)));
    await query(standby.url(), 'SELECT pg_promote()');

    expect(created.filter(({ status }) => status === 200)).toHaveLength(100);
    expect([refused, again]).toMatchObject([UNAVAILABLE, UNAVAILABLE]);
    await recovers(service, 1002);
    expect((await store.plants()).filter(({ id }) => id <= 100n)).toHaveLength(100);
  });
});
