import { expect, test, vi } from 'vitest';
import { emptyDatabase } from '../support/database.js';
import { printedCurl } from '../support/network/curl.js';
import { query } from '../support/postgres-server.js';
import { type RunningProcess, runService } from '../support/running-process.js';
import { startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Whether it has made the first token, and shows how to use it. */
function hasToken(instance: RunningProcess): boolean {
  return instance.stderr().includes('curl');
}

test('of two instances that start at once on an empty database, one makes the schema and the first token', async () => {
  const { url } = await emptyDatabase();

  const instances = await Promise.all([1, 2].map(() => runService(temporaryFolder(), { DATABASE_URL: url })));

  const { url: address, init } = await printedCurl(await vi.waitUntil(() => instances.find(hasToken)));
  expect((await fetch(address, init)).status).toBe(200);
  expect(instances.filter(hasToken)).toHaveLength(1);
  expect(await query(url, 'SELECT id FROM access_tokens')).toEqual([{ id: 'bootstrap' }]);
  expect(await query(url, 'SELECT name FROM migrations GROUP BY name HAVING count(*) <> 1')).toEqual([]);
  const { host, pathname } = new URL(url);
  for (const instance of instances) {
    expect(instance.stdout()).toContain(`storing plants in PostgreSQL at ${host}${pathname}`);
    expect(instance.stdout() + instance.stderr()).not.toMatch(/postgres:\/\/|secret/);
  }
});

test('of creates of one id on several instances exactly one wins, in whatever order the ids come', async () => {
  const first = await startService();
  const { database } = first;
  const instances = [first, await startService({}, database)];
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  const wins = new Map<number, number>();
  const refusals: unknown[] = [];
  // Each client walks through the same ids, one of two up, the other down, on an instance of its own.
  const client = async (index: number) => {
    for (const id of index % 4 < 2 ? ids : ids.toReversed()) {
      const answer = await instances[index % 2]?.create({ id, name: `client ${index}` });
      if (answer?.status === 200) wins.set(id, (wins.get(id) ?? 0) + 1);
      else if (!answer?.text.includes('40900')) refusals.push(answer?.text);
    }
  };

  await Promise.all(Array.from({ length: 16 }, async (_, index) => client(index)));

  expect(refusals).toEqual([]);
  expect([...wins.values()]).toEqual(ids.map(() => 1));
  expect(await database.plants()).toHaveLength(ids.length);
  // All of them have come with the same BOOTSTRAP_TOKEN.
  expect(await query(database.url, 'SELECT name FROM access_tokens')).toEqual([{ name: 'bootstrap' }]);
});
