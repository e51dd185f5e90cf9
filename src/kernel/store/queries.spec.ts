import { expect, test } from 'vitest';
import { Portion } from './queries.js';

test('statements read fewer rows after long ones, and more after short ones', () => {
  const portion = new Portion();
  const rowsAfter = (...statements: readonly [rows: number, length: number][]) => {
    for (const [rows, length] of statements) portion.note(rows, length);
    return portion.rows;
  };

  // One that is not full says nothing of the next.
  expect(rowsAfter([16, 1_000], [3, 300])).toBe(32);
  expect(rowsAfter([32, 1_000], [64, 1_000], [128, 1_000], [256, 1_000])).toBe(256);
  expect(rowsAfter([256, 256 * 196_608])).toBe(1);
  expect(rowsAfter([1, 196_608], [1, 100])).toBe(2);
});
