import { isIPv6 } from 'node:net';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RateLimit } from '../config/settings.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import type { Principal } from './principal.js';

/** The maximum number of keys. Beyond it, the least recently used key starts anew. */
const MEMORY_SIZE = 10_000;

const SECOND_US = 1_000_000;

/** Limits the uses of each key, in the memory of this instance, by the generic cell rate algorithm. */
export class RateLimiter {
  /** Microseconds per use, and for a whole burst: integers, because fractions add up to errors. */
  private readonly interval: number;
  private readonly window: number;
  /** The theoretical arrival time of each key in microseconds; least recently used first. */
  private readonly resets = new Map<string, number>();

  constructor({ rate, burst }: RateLimit) {
    this.interval = Math.round(SECOND_US / rate);
    this.window = burst * this.interval;
  }

  /**
   * Counts one more use of a key, unless none is left.
   *
   * @returns whether one was left, how many `remaining` uses there are now, and the seconds until the next one (`retryAfter`) and
   * until the whole burst is back (`resetAfter`).
   */
  take(key: string) {
    const now = Math.floor(performance.now() * 1_000);
    const before = Math.max(0, (this.resets.get(key) ?? 0) - now);
    const isAllowed = before + this.interval <= this.window;
    const counted = isAllowed ? before + this.interval : before;
    if (isAllowed) {
      this.resets.delete(key);
      this.resets.set(key, now + counted);
      const [oldest] = this.resets.keys();
      if (this.resets.size > MEMORY_SIZE && oldest !== undefined) this.resets.delete(oldest);
    }
    return {
      isAllowed,
      remaining: Math.floor((this.window - counted) / this.interval),
      retryAfter: Math.max(1, Math.ceil((counted + this.interval - this.window) / SECOND_US)),
      resetAfter: Math.ceil(counted / SECOND_US),
    };
  }
}

/**
 * Limits the requests of each access token (`RATE_LIMIT`), in this instance, and tells its client how many are left
 * (draft-ietf-httpapi-ratelimit-headers-10).
 */
export class RateLimitGuard implements CanActivate {
  private readonly limiter: RateLimiter;
  private readonly policy: string;

  constructor(limit: RateLimit) {
    this.limiter = new RateLimiter(limit);
    this.policy = `"token";q=${limit.burst};w=${Math.ceil(limit.burst / limit.rate)}`;
  }

  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const token = http.getRequest<Request>().user as Principal | undefined;
    if (token === undefined) return true;
    const { isAllowed, remaining, retryAfter, resetAfter } = this.limiter.take(token.id);
    const response = http.getResponse<Response>();
    response.setHeader('RateLimit-Policy', this.policy);
    response.setHeader('RateLimit', `"token";r=${remaining};t=${resetAfter}`);
    if (!isAllowed) throw tooManyRequests(retryAfter);
    return true;
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

/** An IPv4 address, or roughly the /64 network of an IPv6 address, whose owner has 2^64 addresses. */
export function networkOf(address = ''): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  return isIPv6(ipv4) ? (ipv4.split('::')[0] ?? '').split(':').slice(0, 4).join(':') : ipv4;
}
