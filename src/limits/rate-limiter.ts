import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type RateLimit, Settings } from '../config/settings.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** What one key may do now. */
interface Standing {
  /** Times that are left. */
  readonly remaining: number;
  /** Seconds until one more is left, when none is. */
  readonly retryAfter: number;
  /** Seconds until all are left. */
  readonly resetAfter: number;
}

/** Keys that are remembered. Beyond it, the one that was used longest ago begins anew. */
const MEMORY_SIZE = 10_000;

const SECOND_US = 1_000_000;

/**
 * Counts how often something happens for each key, in the memory of this instance: by the generic cell rate algorithm, which
 * takes one number for each key.
 */
export class RateLimiter {
  /** Microseconds for which one use counts, and for which the whole burst does: whole ones, because fractions add up to errors. */
  private readonly interval: number;
  private readonly window: number;
  /** When nothing counts any more, in microseconds, by key; the one that was used longest ago comes first. */
  private readonly resets = new Map<string, number>();

  constructor({ rate, burst }: RateLimit) {
    this.interval = Math.round(SECOND_US / rate);
    this.window = burst * this.interval;
  }

  /** Counts one more for a key; false, and nothing is counted, when none is left. */
  take(key: string): boolean {
    const now = microseconds();
    const reset = Math.max(now, this.resets.get(key) ?? 0) + this.interval;
    if (reset - now > this.window) return false;
    this.resets.delete(key);
    this.resets.set(key, reset);
    const [oldest] = this.resets.keys();
    if (this.resets.size > MEMORY_SIZE && oldest !== undefined) this.resets.delete(oldest);
    return true;
  }

  /** What a key may do now. */
  look(key: string): Standing {
    const counted = Math.max(0, (this.resets.get(key) ?? 0) - microseconds());
    return {
      remaining: Math.floor((this.window - counted) / this.interval),
      retryAfter: Math.max(1, Math.ceil((counted + this.interval - this.window) / SECOND_US)),
      resetAfter: Math.ceil(counted / SECOND_US),
    };
  }
}

/** Stops addresses that guess access tokens. */
@Injectable()
export class FailureLimit {
  private readonly failures: RateLimiter;

  constructor({ authFailureLimit: burst }: Settings) {
    this.failures = new RateLimiter({ rate: burst / 60, burst });
  }

  /**
   * Counts a guess from an address.
   *
   * @throws ApiException 42900 when there were too many.
   */
  count(address: string | undefined): void {
    const network = networkOf(address);
    if (this.failures.take(network)) return;
    const { retryAfter } = this.failures.look(network);
    throw tooManyRequests(retryAfter, 'Too many access tokens from this address were not valid.');
  }
}

/** 42900, with the seconds after which the client may try again (RFC 6585, section 4). */
export function tooManyRequests(
  retryAfter: number,
  message = 'The access token has made too many requests.',
): ApiException {
  return new ApiException(ErrorValue.TooManyRequests, message, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}

/** An IPv4 address, or about the /64 of an IPv6 address: its owner has 2^64 of them. */
export function networkOf(address = ''): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  return isIPv6(ipv4) ? (ipv4.split('::')[0] ?? '').split(':').slice(0, 4).join(':') : ipv4;
}

function microseconds(): number {
  return Math.floor(performance.now() * 1_000);
}
