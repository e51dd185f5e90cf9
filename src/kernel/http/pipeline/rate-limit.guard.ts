import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Principal } from '../../auth/principal.js';
import type { RateLimit } from '../../config/settings.js';
import { RateLimiter, tooManyRequests } from '../../auth/rate-limiter.js';

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
