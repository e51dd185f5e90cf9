import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RateLimiter } from './rate-limiter.js';

function times(limiter: RateLimiter, key: string, count: number): number {
  return Array.from({ length: count }, () => limiter.take(key)).filter(Boolean).length;
}

describe('a rate limiter', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test.for([
    { rate: 1, burst: 1 },
    { rate: 3, burst: 3 },
    { rate: 100, burst: 200 },
    { rate: 1 / 3, burst: 20 },
    { rate: 1_000_000, burst: 7 },
  ])('lets through a burst at once, and then the rate: %o', ({ rate, burst }) => {
    const limiter = new RateLimiter({ rate, burst });

    expect(times(limiter, 'a', burst + 5)).toBe(burst);
    expect(limiter.look('a')).toEqual({
      remaining: 0,
      retryAfter: Math.ceil(1 / rate),
      resetAfter: Math.ceil(burst / rate),
    });
    vi.advanceTimersByTime(Math.ceil(1_000 / rate));
    expect(times(limiter, 'a', 1)).toBe(1);
    vi.advanceTimersByTime((burst * 10_000) / rate);
    expect(limiter.look('a')).toMatchObject({ remaining: burst, resetAfter: 0 });
    expect(times(limiter, 'a', burst + 5)).toBe(burst);
  });

  test('counts each key by itself, and remembers 10,000 of them', () => {
    const limiter = new RateLimiter({ rate: 1, burst: 1 });
    for (let key = 0; key < 10_000; key += 1) limiter.take(String(key));

    expect(limiter.take('0')).toBe(false);
    expect(limiter.take('9999')).toBe(false);
    expect(limiter.take('10000')).toBe(true);
    expect(limiter.take('0')).toBe(true);
    expect(limiter.take('9999')).toBe(false);
  });
});
