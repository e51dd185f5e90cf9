import { expect, test } from 'vitest';
import { readInTurn, takeStatementTurn, takeTurn } from './event-loop.js';

/** Longer than a slice. */
function work(): void {
  const start = performance.now();
  while (performance.now() - start < 5);
}

test('heavy steps take turns in the order in which their callers asked, however often one comes back', async () => {
  const steps: string[] = [];
  const loop = async (name: string, count: number) => {
    for (let left = count; left > 0; left -= 1) {
      await takeTurn();
      steps.push(name);
      work();
    }
  };

  const impatient = loop('a', 4);
  await Promise.all([impatient, loop('b', 3), loop('c', 2)]);

  expect(steps.join('')).toBe('abcabcaba');
});

test('statements go before steps, but for one in each pass of the event loop', async () => {
  const order: string[] = [];
  const act = (name: string) => () => {
    order.push(name);
    work();
  };

  await Promise.all([
    ...['a', 'b', 'c'].map(async (name) => takeTurn().then(act(name))),
    ...['1', '2', '3', '4'].map(async (name) => takeStatementTurn().then(act(name))),
  ]);

  // It depends on how much of this pass is left.
  expect(order.join('')).toMatch(/^(a1b2c34|1a2b3c4)$/);
});

test('heavy steps that are asked for at once leave the event loop its turns', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    watching = setImmediate(count);
  };
  let watching = setImmediate(count);

  await Promise.all(Array.from({ length: 10 }, async () => takeTurn().then(work)));

  clearImmediate(watching);
  expect(turns).toBeGreaterThanOrEqual(9);
});

test('five pages are read at a time, in their order, and the next when one ends or fails', async () => {
  const begun: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const read = async (page: number) =>
    readInTurn(async () => {
      begun.push(page);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
    });

  const all = Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(read));
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[2]?.reject(new Error('It failed.'));
  ends[0]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const { resolve } of ends) resolve();

  expect((await all).filter(({ status }) => status === 'rejected')).toHaveLength(1);
});
