import { expect, test } from 'vitest';
import { NewestFirstLimiter } from './newest-first-limiter.js';

test('four of each key are under way at a time, the newest of the others is next, and the oldest is refused or all when one fails', async () => {
  const turns = new NewestFirstLimiter('Too many.');
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const take = async (key: string, name: string) =>
    turns.take(key, async () => {
      begun.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });

  const first = ['a1', 'a2', 'a3', 'a4'].map((name) => take('a', name));
  const waiting = Array.from({ length: 1_001 }, async (_, index) => take('a', `waiting ${index}`));
  const other = take('b', 'b1');

  await expect(waiting[0]).rejects.toMatchObject({ error: 42900, message: 'Too many.' });
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  ends.get('b1')?.resolve('b1');
  expect(await other).toBe('b1');
  ends.get('a3')?.resolve('a3');
  expect(await first[2]).toBe('a3');
  expect(begun.slice(5)).toEqual(['waiting 1000']);

  const failure = new Error('It is away.');
  const failed = Promise.allSettled([first[3], ...waiting.slice(1, 1_000)]);
  ends.get('a4')?.reject(failure);
  expect(await failed).toEqual(Array(1_000).fill({ status: 'rejected', reason: failure }));
  for (const [, { resolve }] of ends) resolve('');
  await Promise.all([first[0], first[1], waiting[1_000]]);
  expect(begun).toHaveLength(6);
  expect(await turns.take('a', async () => 'again')).toBe('again');
});
