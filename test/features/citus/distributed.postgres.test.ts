import { DataSource } from 'typeorm';
import { describe, expect, inject, test, vi } from 'vitest';
import { hashOf } from '../../../src/features/citus/hash.js';
import { Worker } from '../../../src/features/citus/worker.js';
import { plantStore } from '../../support/command-line.js';
import { startProxy } from '../../support/network/tcp-proxy.js';
import { readMetrics } from '../../support/metrics.js';
import { createMany, plant } from '../../support/plants.js';
import { freePort, query } from '../../support/postgres-server.js';
import { failedStart, type Service, startService } from '../../support/service.js';
import { type Statement, statementsOf } from '../../support/statements.js';

/**
 * What an engine asks for that spreads the table by its key: no other uniqueness, and statements that conflict, return and
 * read by that key alone.
 */
const SPREAD = `
  ALTER TABLE plants RENAME TO together;
  CREATE TABLE plants (LIKE together INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY HASH (id);
  ${Array.from({ length: 8 }, (_, part) => `CREATE TABLE part_${part} PARTITION OF plants FOR VALUES WITH (MODULUS 8, REMAINDER ${part});`).join('')}
  INSERT INTO plants SELECT * FROM together;
  DROP TABLE together CASCADE`;

/** The parts of the table in which a statement looks or writes. */
async function partsOf(service: Service, { sql, parameters }: Statement): Promise<string[]> {
  const plan = await service.app.get(DataSource).query<object[]>(`EXPLAIN ${sql}`, parameters);
  return [...new Set(JSON.stringify(plan).match(/\bpart_\d\b/g))];
}

describe('a table that is spread by id', () => {
  test('serves every statement of the service, unchanged, while it runs', async () => {
    const service = await startService();
    await createMany(service, 100);

    await service.database.execute(SPREAD);
    const created = await createMany(service, 300, 51);
    const race = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => service.create({ id: 7777, name: `${index}` })),
    );
    const parts = await service.database.execute(`DO $$ BEGIN
      ASSERT (SELECT min(n) > 20 FROM (SELECT count(*) AS n FROM plants GROUP BY tableoid) AS part); END $$`);

    expect(parts).toBeUndefined();
    expect(created.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 50 }, () => 400),
      ...Array.from({ length: 250 }, () => 200),
    ]);
    expect(race.filter(({ status }) => status === 200)).toHaveLength(1);
    const changed = await Promise.all([
      service.send('PUT', '/plants/1', { body: { name: 'put' } }),
      service.send('PATCH', '/plants/2', { body: { name: 'patched' } }),
      service.send('DELETE', '/plants/3'),
      service.send('DELETE', '/plants/351'),
    ]);
    const { headers } = await service.send('GET', '/plants/4');
    const conditional = await service.send('PATCH', '/plants/4', {
      body: { tag: null },
      headers: { 'If-Match': headers.get('etag') ?? '' },
    });
    const listed = await service.send('GET', '/plants?limit=3&name=plant&tag=durable');

    expect(changed.map(({ status }) => status)).toEqual([200, 200, 204, 404]);
    expect(conditional.status).toBe(200);
    expect(listed.body).toMatchObject([{ id: 10 }, { id: 100 }, { id: 101 }]);
    expect((await service.request('/health/ready')).status).toBe(200);
    const exported = await plantStore(service.database, ['export']);
    const imported = await plantStore(service.database, ['import'], exported.stdout);
    expect(imported.stderr).toBe('Imported 350 plants; 0 lines were refused.\n');
    expect((await service.plants()).map(({ id }) => id)).toEqual([
      1n,
      2n,
      ...Array.from({ length: 347 }, (_, index) => BigInt(index + 4)),
      7777n,
    ]);
  });

  test.for([
    ['POST', '/plants', { id: 1000, name: 'Aloe' }],
    ['GET', '/plants/1', undefined],
    ['PUT', '/plants/1', { name: 'Aloe' }],
    ['PATCH', '/plants/1', { name: 'Aloe' }],
    ['DELETE', '/plants/1', undefined],
  ] as const)('is asked for one plant in one part only: %s', async ([method, path, body]) => {
    const service = await startService();
    await createMany(service, 100);
    await service.database.execute(SPREAD);

    const statements = await statementsOf(service, () => service.send(method, path, { body }));

    const asked = statements.filter(({ sql }) => sql.includes('"plants"'));
    expect(asked).not.toEqual([]);
    for (const statement of asked) {
      // An insert finds the part when it is executed.
      const most = statement.sql.startsWith('INSERT') ? 0 : 1;
      expect(await partsOf(service, statement), statement.sql).toHaveLength(most);
    }
  });
});

describe('a lost server of a cluster', () => {
  test('leaves the outcome of a write unknown, which is a 503 and no refusal', async () => {
    const service = await startService();
    await service.database.execute(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not commit transaction for shard 102008 on at least one active node' USING ERRCODE = 'XX000'; END $$;
      CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON plants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()`);
    const lost = { status: 503, body: { error: 50300 } };

    expect(await service.create(plant(1))).toMatchObject(lost);
    const operations = [{ kind: 'put', id: 1, body: { name: 'Aloe' } }];
    expect(await service.send('POST', '/plants/batch', { body: { operations } })).toMatchObject(lost);
  });

  test('refuses writes of tokens, without which a service starts and serves', async () => {
    const { database } = await startService();
    await database.execute(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'connection to the remote node worker-1:5432 failed' USING ERRCODE = '08006'; END $$;
      CREATE TRIGGER lose BEFORE INSERT OR UPDATE OR DELETE ON access_tokens FOR EACH STATEMENT EXECUTE FUNCTION lose()`);

    const service = await startService({}, database);

    expect(await service.create(plant(1))).toMatchObject({ status: 200 });
    const body = { name: 'reader', scopes: ['plants:read'] };
    expect(await service.send('POST', '/tokens', { body })).toMatchObject({ status: 503 });
  });

  test('leaves the service ready, because others still have their plants', async () => {
    const service = await startService();
    await service.database.execute(`
      ALTER TABLE plants RENAME TO elsewhere;
      CREATE FUNCTION lost() RETURNS SETOF elsewhere LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'connection to the remote node worker-1:5432 failed' USING ERRCODE = '08006'; END $$;
      CREATE VIEW plants AS SELECT * FROM lost()`);

    expect(await service.request('/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await service.send('GET', '/plants/1')).toMatchObject({ status: 503, body: { error: 50300 } });
  });
});

/** What Citus tells of a cluster whose first worker has the plants with negative hashes, and the second one all others. */
function clusterOf(ports: readonly [number, number], identity: string): string {
  return `
    CREATE TABLE pg_dist_local_group AS SELECT 0 AS groupid;
    CREATE TABLE pg_dist_partition AS SELECT 'plants'::regclass AS logicalrelid, 'h' AS partmethod, 'id' AS partkey;
    CREATE FUNCTION column_to_column_name(oid, text) RETURNS text LANGUAGE sql AS 'SELECT $2';
    CREATE TABLE pg_dist_shard AS SELECT 'plants'::regclass AS logicalrelid, * FROM (VALUES (1, '-2147483648'), (2, '0')) AS shard (shardid, shardminvalue);
    CREATE FUNCTION shard_name(regclass, integer) RETURNS text LANGUAGE sql AS $$ SELECT 'plants_' || $2 $$;
    CREATE VIEW plants_1 AS SELECT * FROM plants WHERE hashint8(id) < 0;
    CREATE VIEW plants_2 AS SELECT * FROM plants WHERE hashint8(id) >= 0;
    CREATE TABLE pg_dist_placement AS SELECT id AS shardid, 1 AS shardstate, id AS groupid FROM generate_series(1, 2) AS id;
    CREATE TABLE pg_dist_node AS SELECT id AS nodeid, id AS groupid, 'primary' AS noderole, '127.0.0.1' AS nodename, port AS nodeport, true AS hasmetadata, true AS metadatasynced
      FROM (VALUES (1, ${ports[0]}), (2, ${ports[1]})) AS node (id, port);
    CREATE FUNCTION master_run_on_worker(text[], integer[], text[], boolean) RETURNS TABLE (success boolean, result text) LANGUAGE sql
      AS $$ SELECT ${identity} FROM pg_control_system() $$`;
}

/** A cluster, whose workers are one PostgreSQL behind two proxies; a service that knows of it after a restart, and one that does not. */
async function startOnCluster(identity = 'true, system_identifier::text') {
  const first = await startService();
  const port = Number(new URL(first.database.url).port);
  const workers = [await startProxy(port), await startProxy(port)] as const;
  await first.database.execute(clusterOf([workers[0].port, workers[1].port], identity));
  return { workers, port, plain: first, restart: async () => startService({}, first.database) };
}

/** Why a cluster keeps no changes, and what works there instead. */
const DISORDER =
  'each node of a Citus cluster has an order of its own; lists, exports and restore points work there';

/** What is called plants now is the distributed table, whenever the service reads where its shards are. */
const IS_DISTRIBUTED = `
  UPDATE pg_dist_partition SET logicalrelid = 'plants'::regclass;
  UPDATE pg_dist_shard SET logicalrelid = 'plants'::regclass`;

/** Makes the coordinator fail for the plants of the second worker, too. */
const LOSE = `
  CREATE FUNCTION ask(id bigint) RETURNS boolean LANGUAGE plpgsql COST 1000000 AS $$ BEGIN
    IF hashint8(id) >= 0 THEN RAISE EXCEPTION 'connection to the remote node worker-2:5432 failed' USING ERRCODE = '08006'; END IF;
    RETURN true;
  END $$;
  ALTER TABLE plants RENAME TO everywhere;
  CREATE VIEW plants AS SELECT * FROM everywhere WHERE ask(id) WITH CHECK OPTION;
  ${IS_DISTRIBUTED}`;

const FIND_AGAIN = `DROP VIEW plants; ALTER TABLE everywhere RENAME TO plants; ${IS_DISTRIBUTED}`;

const STATUSES = { living: 200, lost: 503 };

describe('the workers of a cluster', () => {
  test('have rows by the hash of PostgreSQL', async () => {
    const ids = Array.from({ length: 4_000 }, (_, index) =>
      BigInt.asIntN(64, 0x9e3779b97f4a7c15n * BigInt(index)),
    );
    ids.push(1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 63n - 1n, -(2n ** 63n));
    const hashes = await query<{ hash: number }>(
      inject('postgresServer'),
      `SELECT hashint8(id) AS hash FROM unnest('{${ids.join()}}'::bigint[]) AS id`,
    );

    expect(ids.map(hashOf)).toEqual(hashes.map(({ hash }) => hash));
  });

  test('fail alone: the plants of the others are created, changed and read, and all goes on by itself', async () => {
    const { workers, port, restart } = await startOnCluster();
    const service = await restart();
    const ids = Array.from({ length: 40 }, (_, index) => index);
    const expected = (shift: number) =>
      ids.map((id) => (hashOf(BigInt(id + shift)) < 0 ? STATUSES.living : STATUSES.lost));
    const statuses = async (send: (id: number) => Promise<{ readonly status: number }>) =>
      (await Promise.all(ids.map(send))).map(({ status }) => status);
    expect(await statuses((id) => service.create(plant(id)))).toEqual(ids.map(() => 200));

    workers[1].leadTo(await freePort());
    await service.database.execute(LOSE);

    for (let time = 0; time < 2; time += 1) {
      const created = statuses((id) => service.create(plant(id + 100 * (time + 1))));
      const changed = statuses((id) => service.send('PATCH', `/plants/${id}`, { body: { tag: `${time}` } }));
      const read = statuses((id) => service.send('GET', `/plants/${id}`));
      expect(await created).toEqual(expected(100 * (time + 1)));
      expect(await changed).toEqual(expected(0));
      expect(await read).toEqual(expected(0));
    }
    await vi.waitFor(async () =>
      expect((await service.request('/health/ready')).body).toEqual({ status: 'degraded', check: 'servers' }),
    );
    workers[1].leadTo(port);
    await service.database.execute(FIND_AGAIN);
    await vi.waitFor(async () =>
      expect(await statuses((id) => service.send('GET', `/plants/${id}`))).toEqual(ids.map(() => 200)),
    );
    expect(await statuses((id) => service.send('PUT', `/plants/${id}`, { body: { name: 'back' } }))).toEqual(
      ids.map(() => 200),
    );
    // A failed write counts until the next one succeeds.
    await vi.waitFor(async () =>
      expect((await service.request('/health/ready')).body).toEqual({ status: 'ok' }),
    );
  });

  test('are known seconds after the table is distributed, while the service runs', async () => {
    const { plain, restart } = await startOnCluster();
    const isInShard = (id: number) => hashOf(BigInt(id)) >= 0;
    const path = `/plants/${Array.from({ length: 20 }, (_, id) => id).find(isInShard)}`;
    await createMany(plain, 20, 0);
    await plain.database.execute(
      'CREATE TABLE distributed AS TABLE pg_dist_partition; TRUNCATE pg_dist_partition',
    );
    const service = await restart();
    expect((await service.send('GET', path)).status).toBe(200);

    await plain.database.execute(`
      INSERT INTO pg_dist_partition TABLE distributed;
      CREATE OR REPLACE VIEW plants_2 AS SELECT * FROM plants WHERE false`);

    await vi.waitFor(async () => expect((await service.send('GET', path)).status).toBe(404));
  });

  test.for([
    ['that cannot be reached', undefined],
    ['at whose address is another server', 'true, random()::text'],
    ['that must not say who they are', "false, 'permission denied for function pg_control_system'"],
  ])('%s are asked through the coordinator', async ([, identity]) => {
    const { workers, restart } = await startOnCluster(identity);
    const lose = async () => Promise.all(workers.map(async (worker) => worker.leadTo(await freePort())));
    if (identity === undefined) await lose();
    const service = await restart();
    expect((await service.request('/health/ready')).body).toMatchObject({ status: 'degraded' });
    await lose();

    const created = await createMany(service, 50);

    expect(created.map(({ status }) => status)).toEqual(created.map(() => 200));
    await service.database.execute('BEGIN; LOCK plants IN ACCESS EXCLUSIVE MODE');
    const pages = Array.from({ length: 12 }, async (_, after) =>
      service.send('GET', `/plants?after=${after}`),
    );
    expect(await service.send('GET', '/tokens')).toMatchObject({ status: 200 });
    await service.database.execute('COMMIT');
    await Promise.all(pages);
  });

  test('have queues and failures of their own, which the metrics and the health contain', async () => {
    const { workers, port, restart } = await startOnCluster();
    const service = await restart();
    await service.database.execute(`
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER fill BEFORE INSERT ON plants FOR EACH ROW WHEN (hashint8(NEW.id) >= 0) EXECUTE FUNCTION fill()`);
    const ids = (isFull: boolean) =>
      Array.from({ length: 20 }, (_, id) => id).filter((id) => hashOf(BigInt(id)) >= 0 === isFull);

    for (const isFull of [true, false])
      await Promise.all(ids(isFull).map(async (id) => service.create(plant(id))));

    expect((await service.request('/health/ready')).body).toEqual({
      status: 'degraded',
      check: 'writes',
    });
    workers[1].silence();
    const sent: Promise<unknown>[] = [];
    await vi.waitFor(async () => {
      sent.push(...ids(true).map(async (id) => service.create(plant(id))));
      expect((await readMetrics(service)).get('plant_store_write_queue_length')).toBeGreaterThan(0);
    });
    workers[1].leadTo(port);
    await Promise.all(sent);
  });

  test('have their migrations run by the coordinator', async () => {
    const { port, plain, restart } = await startOnCluster();
    const coordinator = await startProxy(await freePort());
    await plain.database.execute(`
      UPDATE pg_dist_local_group SET groupid = 1;
      INSERT INTO pg_dist_node VALUES (0, 0, 'primary', '127.0.0.1', ${coordinator.port}, true, true);
      ALTER TABLE access_tokens DROP COLUMN last_used_on;
      DELETE FROM migrations WHERE name LIKE 'NoteTokenUse%'`);

    const { url } = plain.database;
    expect(await failedStart({ DATABASE_URL: url })).toContain(
      `PostgreSQL at 127.0.0.1:${coordinator.port}/`,
    );
    coordinator.leadTo(port);
    const service = await restart();
    expect(await service.send('GET', '/tokens')).toMatchObject({ status: 200 });
  });

  test('are asked directly by commands, too', async () => {
    const { restart } = await startOnCluster();
    const service = await restart();
    const asked = vi.spyOn(Worker.prototype, 'query');
    const lines = Array.from({ length: 20 }, (_, id) => JSON.stringify(plant(id))).join('\n');

    const imported = await plantStore(service.database, ['import'], lines);

    expect(imported.stderr).toBe('Imported 20 plants; 0 lines were refused.\n');
    expect(new Set(asked.mock.contexts).size).toBe(2);
    expect(await service.plants()).toHaveLength(20);
  });

  test('have no common order, so no changes are kept', async () => {
    const { restart, plain } = await startOnCluster();
    expect((await plain.send('GET', '/plants/changes')).status).toBe(200);

    const service = await restart();

    const webhook = { url: 'https://example.org', resource: 'plants' };
    for (const answer of [
      await service.send('GET', '/plants/changes'),
      await service.send('POST', '/webhooks', { body: webhook }),
    ])
      expect(answer).toMatchObject({
        status: 410,
        body: { error: 41000, message: `The service keeps no changes: ${DISORDER}.` },
      });
    for (const command of [['changes'], ['bring-back', '1']])
      expect(await plantStore(service.database, command)).toMatchObject({
        code: 1,
        stderr: `The store keeps no changes: ${DISORDER}.\n`,
      });
    expect((await service.create(plant(1))).status).toBe(200);
    const triggers = await query(
      service.database.url,
      "SELECT FROM pg_trigger WHERE tgname LIKE 'plants_changes%'",
    );
    expect(triggers).toEqual([]);
    expect((await readMetrics(service)).has('plant_store_changes_held_back_seconds')).toBe(false);
  });

  test.for([
    ['', ''],
    [
      'while a shard moves',
      `UPDATE pg_dist_placement SET groupid = 3 WHERE shardid = 2;
       CREATE OR REPLACE VIEW plants_2 AS SELECT * FROM plants WHERE false`,
    ],
    ['when one has moved', 'ALTER VIEW plants_2 RENAME TO elsewhere'],
  ])('return the pages of one server %s', async ([, move = '']) => {
    const { workers, restart, plain } = await startOnCluster();
    const service = await restart();
    const names = ['Aloe', 'aloe', '', 'Äpfel', '\uff41loe', '\u{1f331}', 'A', 'Aloe vera'];
    const ids = Array.from({ length: 48 }, (_, index) => (index - 20) * 7);
    const created = ids.map(async (id, index) =>
      service.create({ id, name: names[index % names.length], tag: `t${index % 3}` }),
    );
    expect((await Promise.all(created)).map(({ status }) => status)).toEqual(created.map(() => 200));
    await service.database.execute(move);

    await createMany(service, 20, 1_000);
    const asked = vi.spyOn(DataSource.prototype, 'query');
    const filters = [
      'limit=60',
      'limit=9',
      'limit=9&sort=-id',
      'limit=9&sort=name',
      'limit=9&sort=-name',
      'limit=5&name=A',
      'limit=5&tag=t1',
      'limit=5&tag=t1&name=A',
      'limit=9&search=a',
      'limit=9&search=p&sort=-id',
      'limit=5&search=A+e&tag=t1',
    ];
    for (const paths = filters.map((filter) => `/plants?${filter}`); paths.length > 0;) {
      const path = String(paths.shift());
      const [page, expected] = [await service.send('GET', path), await plain.send('GET', path)];
      expect(page.body, path).toEqual(expected.body);
      if (path.includes('search'))
        expect((await service.send('GET', `${path}&total=true`)).headers.get('x-total-count')).toBe(
          (await plain.send('GET', `${path}&total=true`)).headers.get('x-total-count'),
        );
      const link = String(expected.headers.get('link'));
      expect(String(page.headers.get('link'))).toBe(link);
      const [, next] = /<[^?]*([^>]*)>; rel="next"/.exec(link) ?? [];
      if (next !== undefined) paths.push(`/plants${next}`);
    }
    const exported = await service.send('GET', '/plants/export');
    expect(exported.text).toBe((await plain.send('GET', '/plants/export')).text);
    const guarded = asked.mock.calls.filter(([text]) => text.includes('areHere'));
    // Without a parameter, a statement is not prepared.
    expect(guarded.every(([, parameters]) => Array.isArray(parameters) && parameters.length > 0)).toBe(true);
    const read = await Promise.all([...ids, 1].map(async (id) => service.send('GET', `/plants/${id}`)));
    expect(read.map(({ status }) => status)).toEqual([...ids.map(() => 200), 404]);
    workers[1].leadTo(await freePort());
    expect((await service.send('GET', '/plants')).body).toEqual((await plain.send('GET', '/plants')).body);
  });
});
