import { DataSource } from 'typeorm';
import { expect, inject, test } from 'vitest';
import { changesAfter } from '../../support/network/changes.js';
import { startService } from '../../support/service.js';

const RACES = 100;

/** Writes that race for a plant, each with its path and its body. */
const WRITES: readonly [method: string, path: (id: bigint) => string, body?: (id: bigint) => string][] = [
  ['POST', () => '', (id) => `{"id":${id},"name":"created"}`],
  ['PUT', (id) => `/${id}`, () => '{"name":"put"}'],
  ['PATCH', (id) => `/${id}`, () => '{"name":"patched"}'],
  ['DELETE', (id) => `/${id}`],
  [
    'POST',
    () => '/batch',
    (id) =>
      `{"operations":[{"kind":"delete","id":${id}},{"kind":"create","body":{"id":${id},"name":"new"}}]}`,
  ],
];

function oneOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}

test('no child outlives its plant, and the feed has every deletion, whatever waits together', async () => {
  const service = await startService({ LOG_LEVEL: 'silent' });
  const { database, app } = service;
  const type = inject('database') === 'postgres' ? 'bigint' : 'INTEGER';
  await database.execute(
    `CREATE TABLE shoots (plant ${type} PRIMARY KEY REFERENCES plants (id) ON DELETE CASCADE)`,
  );
  let cursor = await database.lastCursor();
  const plants = new Map<bigint, string>();

  for (let race = 0; race < RACES; race += 1) {
    await database.execute('DELETE FROM shoots; INSERT INTO shoots SELECT id FROM plants');
    const parents = [...plants.keys()];
    const deleted = new Set<bigint>();
    const write = async () => {
      const id = oneOf([1n, 2n, 2n ** 63n - 1n]);
      const [method, path, body] = oneOf(WRITES);
      const { status } = await service.send(method, `/plants${path(id)}`, { body: body?.(id) });
      expect(status).toBeLessThan(500);
      if (status < 300 && (method === 'DELETE' || path(id) === '/batch')) deleted.add(id);
    };
    await Promise.all(Array.from({ length: 8 }, write));

    const changes = await changesAfter(service, cursor);
    const shoots: { plant: string }[] = await app
      .get(DataSource)
      .query('SELECT CAST(plant AS TEXT) AS plant FROM shoots');
    const survivors = parents.filter((id) => !deleted.has(id));
    expect(new Set(shoots.map(({ plant }) => BigInt(plant)))).toEqual(new Set(survivors));
    for (const id of parents)
      expect(changes.some(({ kind, plant }) => kind === 'deleted' && plant.id === id)).toBe(deleted.has(id));
    for (const { kind, plant } of changes) {
      expect(plants.has(plant.id)).toBe(kind !== 'created');
      if (kind === 'deleted') plants.delete(plant.id);
      else plants.set(plant.id, plant.name);
    }
    expect(plants).toEqual(new Map((await database.plants()).map(({ id, name }) => [id, name])));
    cursor = changes.at(-1)?.cursor ?? cursor;
  }
});
