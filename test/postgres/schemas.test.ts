import { expect, test, vi } from 'vitest';
import { emptyDatabase } from '../support/database.js';
import { changesAfter } from '../support/network/changes.js';
import { startService } from '../support/service.js';

test('two stores in schemas of one database have changes and searches of their own', async () => {
  const database = await emptyDatabase();
  const first = await startService({ SEARCH: 'on' }, database);
  await first.create({ id: 1, name: 'first' });
  await vi.waitUntil(() => first.log.some((line) => line.includes('plants_search is complete')));
  await database.execute('DROP SCHEMA IF EXISTS second CASCADE; CREATE SCHEMA second');
  // Extensions are in the other schema.
  const url = `${database.url}?options=${encodeURIComponent('-c search_path=second,public')}`;
  const names = async (service: typeof first) =>
    (await changesAfter(service, 0)).map(({ plant: { name } }) => name);

  const second = await startService({}, { ...database, url });
  await second.create({ id: 2, name: 'second' });
  expect(await names(second)).toEqual(['second']);
  await second.stop();
  await startService({ CHANGES_KEPT: '0' }, { ...database, url });

  expect(await first.create({ id: 3, name: 'third' })).toMatchObject({ status: 200 });
  expect(await names(first)).toEqual(['first', 'third']);
  await expect(database.execute("SELECT 'public.plants_search'::regclass")).resolves.toBeUndefined();
});
