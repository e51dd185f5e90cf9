import { describe, expect, test } from 'vitest';
import { type Mark, speedOf, timeLeft, withMark } from './pace.ts';

const mark = (seconds: number, lines: number): Mark => ({ at: seconds * 1000, lines, bytes: lines * 10 });

describe('the pace of a transfer', () => {
  test('is measured about once a second, and not kept for ever', () => {
    let marks = withMark([], mark(0, 0));
    marks = withMark(marks, mark(0.5, 50));
    expect(marks).toEqual([mark(0, 0)]);

    for (let second = 1; second < 1_000; second += 1) marks = withMark(marks, mark(second, second * 100));

    expect(marks.length).toBeLessThan(400);
    expect(marks.at(-1)).toEqual(mark(999, 99_900));
  });

  test('is lines a second from one mark to the next', () => {
    expect(speedOf([mark(0, 0), mark(1, 100), mark(3, 500)])).toEqual([
      { at: 1_000, value: 100 },
      { at: 3_000, value: 200 },
    ]);
  });

  test('tells the time left by what was recent, and nothing before there is a pace', () => {
    expect(timeLeft([], 1_000)).toBeUndefined();
    expect(timeLeft([mark(0, 0)], 1_000)).toBeUndefined();
    expect(timeLeft([mark(0, 0), mark(1, 0)], 1_000)).toBeUndefined();
    expect(timeLeft([mark(0, 0), mark(1, 10)], 1_000)).toBe(9_000);

    const slow = Array.from({ length: 20 }, (_, index) => mark(index - 40, 0));
    const fast = Array.from({ length: 16 }, (_, index) => mark(index, index * 10));
    expect(timeLeft([...slow, ...fast], 3_000)).toBe(15_000);
  });
});
