import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { networkOf, RateLimiter } from './rate-limiter.js';

describe('a rate limiter', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test.for([
    { rate: 1, burst: 1 },
    { rate: 100, burst: 200 },
    { rate: 1 / 3, burst: 20 },
    { rate: 1_000_000, burst: 7 },
  ])('lets through a burst at once, and then the rate: %o', ({ rate, burst }) => {
    const limiter = new RateLimiter({ rate, burst });
    const times = (count: number) =>
      Array.from({ length: count }, () => limiter.take('a')).filter(({ isAllowed }) => isAllowed).length;

    expect(times(burst + 5)).toBe(burst);
    expect(limiter.take('a')).toEqual({
      isAllowed: false,
      remaining: 0,
      retryAfter: Math.ceil(1 / rate),
      resetAfter: Math.ceil(burst / rate),
    });
    vi.advanceTimersByTime(Math.ceil(1_000 / rate));
    expect(times(1)).toBe(1);
    vi.advanceTimersByTime((burst * 10_000) / rate);
    expect(limiter.take('a')).toMatchObject({ isAllowed: true, remaining: burst - 1 });
  });

  test('counts each key by itself, and remembers 10,000 of them', () => {
    const limiter = new RateLimiter({ rate: 1, burst: 1 });
    const take = (key: number) => limiter.take(String(key)).isAllowed;
    for (let key = 0; key < 10_000; key += 1) take(key);

    expect([0, 9999, 10_000, 0, 9999].map(take)).toEqual([false, false, true, true, false]);
  });
});

test.for([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8'],
])('the network of %s is %s', ([address, network]) => {
  expect(networkOf(address)).toBe(network);
});
