import { expect, test } from 'vitest';
import { query } from '../support/postgres-server.js';
import { startService } from '../support/service.js';

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
