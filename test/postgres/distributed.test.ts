import { describe, expect, test } from 'vitest';
import { ENTITY_TAG_SQL } from '../../src/plants/entity-tag.js';
import { plantStore } from '../support/command-line.js';
import { createMany } from '../support/plants.js';
import { startService } from '../support/service.js';

/**
 * What an engine asks for that spreads the table by its key: no other uniqueness, and statements that conflict, return and
 * read by that key alone.
 */
const SPREAD = `
  ALTER TABLE plants RENAME TO together;
  CREATE TABLE plants (LIKE together INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY HASH (id);
  ${Array.from({ length: 8 }, (_, part) => `CREATE TABLE plants_${part} PARTITION OF plants FOR VALUES WITH (MODULUS 8, REMAINDER ${part});`).join('')}
  INSERT INTO plants SELECT * FROM together;
  DROP TABLE together`;

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
    expect(listed.body).toMatchObject([{ id: 5 }, { id: 6 }, { id: 7 }]);
    expect((await service.request('/health/ready')).status).toBe(200);
    const exported = await plantStore(service.database, ['export']);
    const imported = await plantStore(service.database, ['import'], exported.stdout);
    expect(imported.stderr).toBe('Imported 0 plants; 350 were there already; 0 lines were refused.\n');
    expect((await service.plants()).map(({ id }) => id)).toEqual([
      1n,
      2n,
      ...Array.from({ length: 347 }, (_, index) => BigInt(index + 4)),
      7777n,
    ]);
  });

  test('is changed by functions that look at nothing but the row', async () => {
    const { database } = await startService();

    // An index takes the same functions.
    await database.execute(`CREATE INDEX ON plants ((${ENTITY_TAG_SQL.postgres}))`);
  });
});
