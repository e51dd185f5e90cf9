import { expect, test } from 'vitest';
import { takeTurn } from './event-loop.js';

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
