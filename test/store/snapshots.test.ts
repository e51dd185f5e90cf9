import { expect, test, vi } from 'vitest';
import { Snapshots } from '../../src/kernel/store/scans/snapshots.js';
import { startService } from '../support/service.js';

test('four snapshots are open at a time, a hundred readers wait for them in their order, and others are refused', async () => {
  const service = await startService();
  const snapshots = service.app.get(Snapshots);
  const begun: number[] = [];
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const read = async (number: number) =>
    snapshots.readOnce(async () => {
      begun.push(number);
      await ends[number]?.promise;
    }, true);

  const first = ends.map((_, number) => read(number));
  await vi.waitUntil(() => begun.length === 4);
  const waiting = Promise.allSettled(Array.from({ length: 100 }, async (_, index) => read(4 + index)));
  await expect(read(104)).rejects.toMatchObject({ error: 50300 });
  await expect(snapshots.readOnce(async () => 'in no case')).rejects.toMatchObject({ error: 50300 });
  expect(begun).toHaveLength(4);
  ends[2]?.resolve();
  // Each waits for a second at most, which may not be enough for all.
  await waiting;
  for (const { resolve } of ends) resolve();
  await Promise.all(first);

  const later = begun.slice(4);
  expect(later.length).toBeGreaterThan(0);
  expect(later).toEqual(later.map((_, index) => 4 + index));
});
