import { describe, expect, test } from 'vitest';
import { int64, json, timestamp } from './column-types.js';

describe('a column', () => {
  test.for([
    [int64, '9223372036854775807', 2n ** 63n - 1n],
    [int64, '-9223372036854775808', -(2n ** 63n)],
    [int64, 9_007_199_254_740_991, 2n ** 53n - 1n],
    [int64, null, null],
    [timestamp, '2026-01-02T03:04:05.678Z', new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678))],
    [timestamp, null, null],
    [json, '{"a":[1,null]}', { a: [1, null] }],
    [json, 'null', null],
    [json, null, null],
  ] as const)('is read as what it stands for: %#', ([type, stored, value]) => {
    expect(type.from(stored)).toEqual(value);
  });

  test.for([
    [timestamp, new Date(0), '1970-01-01T00:00:00.000Z'],
    [json, { a: [1, null] }, '{"a":[1,null]}'],
    [json, '', '""'],
    [json, false, 'false'],
    [int64, 1n, 1n],
    [int64, null, null],
    [timestamp, null, null],
    [json, null, null],
    [timestamp, undefined, undefined],
    [json, undefined, undefined],
  ] as const)(
    'is written so that it reads the same, and nothing stays nothing: %#',
    ([type, value, stored]) => {
      expect(type.to(value)).toBe(stored);
    },
  );

  test('of int64 is no integer that was rounded on the way', () => {
    expect(() => int64.from(2 ** 53) as unknown).toThrow(RangeError);
  });

  test('with a timestamp is in the order of time', () => {
    const times = [0, 1, 999, 1000, 1_799_999_999_999].map((ms) => timestamp.to(new Date(ms)) as string);

    expect(times.toSorted()).toEqual(times);
  });
});
