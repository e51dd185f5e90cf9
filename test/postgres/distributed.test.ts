import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { plantStore } from '../support/command-line.js';
import { createMany, plant } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';
import { type Statement, statementsOf } from '../support/statements.js';

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
  test.for([
    'failure on connection marked as essential: worker-1:5432',
    'connection to the remote node plant_store@worker-1:5432 failed with the following error: server closed',
    'SSL SYSCALL error: EOF detected',
  ])('leaves the outcome of a write unknown, which is a 503 and no refusal: %s', async (message) => {
    const service = await startService();
    await service.database.execute(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = 'XX000'; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON plants EXECUTE FUNCTION lose()`);

    expect(await service.create(plant(1))).toMatchObject({ status: 503, body: { error: 50300 } });
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
