import { isIPv4, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { RateLimiter } from './rate-limiter.js';
import { tooManyRequests } from './too-many-requests.js';

const SECONDS_PER_MINUTE = 60;
const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** Stops addresses that guess access tokens. Whoever has an IPv6 address has 2^64: they count as one. */
@Injectable()
export class FailureLimit {
  private readonly failures: RateLimiter;

  constructor({ authFailureLimit: burst }: Settings) {
    this.failures = new RateLimiter({ rate: burst / SECONDS_PER_MINUTE, burst });
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

/** An IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address = ''): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  if (isIPv4(ipv4)) return ipv4;
  // Only a proxy that is trusted can say what is no address.
  if (!isIPv6(address)) return 'unknown';
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: GROUPS - front.length - back.length }, () => '0');
  const groups = [...front, ...zeros, ...back].slice(0, GROUPS_OF_NETWORK);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
