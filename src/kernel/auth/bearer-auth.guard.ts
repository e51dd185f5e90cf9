import type { IncomingMessage } from 'node:http';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { Settings } from '../config/settings.js';
import { ApiException } from '../errors/api.exception.js';
import { withTimeout } from '../database/timeout.js';
import { networkOf, RateLimiter, tooManyRequests } from './rate-limiter.js';
import { InOutages, RequiredScopes } from './access.decorators.js';
import { insufficientScope, invalidToken, missingToken } from './challenge.js';
import { ADMIN, type Principal, type Scope } from './principal.js';
import { TokenVerifier } from './token-verifier.js';

/** Guards every route: a valid access token with every scope that the route requires, unless it is `@Public()`. */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  /** Counts guesses of tokens by address. */
  private readonly guesses: RateLimiter;

  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    { authFailureLimit: burst }: Settings,
  ) {
    super();
    this.guesses = new RateLimiter({ rate: burst / 60, burst });
  }

  override canActivate(context: ExecutionContext): true | Promise<true> {
    const route = [context.getHandler(), context.getClass()];
    const required = this.reflector.getAllAndOverride(RequiredScopes, route);
    if (required === null) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const secret = bearerCredentials(request);
    if (secret === undefined) throw missingToken();
    // Passport takes 9 µs, so it is called only for a token that the verifier does not remember.
    const known = this.verifier.recall(secret);
    if (known === undefined) return this.authenticate(context, request, secret, required);
    request.user = known;
    return permit(known, required);
  }

  /** Passport's hook for the outcome of the strategy. */
  override handleRequest<User>(error: unknown, user: User | false): User {
    if (error) throw error;
    if (!user) throw invalidToken();
    return user;
  }

  private async authenticate(
    context: ExecutionContext,
    request: Request,
    secret: string,
    required: readonly (readonly Scope[])[] | undefined,
  ): Promise<true> {
    // Counted before the look-up: thousands of concurrent guesses would pass a limit that counts after it.
    if (this.verifier.isGuess(secret)) {
      const { isAllowed, retryAfter } = this.guesses.take(networkOf(request.ip));
      if (!isAllowed)
        throw tooManyRequests(retryAfter, 'Too many access tokens from this address were not valid.');
    }
    const isForOutages = this.reflector.get(InOutages, context.getHandler());
    const remembered = isForOutages ? this.verifier.recallInOutage(secret) : undefined;
    const authentication = super.canActivate(context) as Promise<true>;
    try {
      await (remembered === undefined ? authentication : withTimeout(authentication));
    } catch (error) {
      if (remembered === undefined || error instanceof ApiException) throw error;
      request.user = remembered;
    }
    return permit(request.user as Principal, required);
  }
}

/** Authenticates by the bearer token in the `Authorization` header. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly verifier: TokenVerifier) {
    super({ passReqToCallback: true });
  }

  /** Passport's hook: returns the caller that the credentials authenticate, or false to refuse them. */
  async validate({ ip }: Request, secret: string): Promise<Principal | false> {
    return (await this.verifier.verify(secret, networkOf(ip))) ?? false;
  }

  /** Shows the strategy only the header: it would also accept a token in the query or the body. */
  override authenticate(request: Request): void {
    const headers = { authorization: `Bearer ${bearerCredentials(request)}` };
    super.authenticate({ headers, ip: request.ip } as Request);
  }
}

/**
 * Returns the token in the `Authorization` header, or undefined. Tokens elsewhere are ignored (RFC 6750 section 2.1).
 *
 * The scheme may be in any case, followed by one or more spaces (RFC 9110 section 11.4).
 */
export function bearerCredentials({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function permit({ scopes }: Principal, required: readonly (readonly Scope[])[] = [[ADMIN]]): true {
  if (required.some((all) => all.every((scope) => scopes.includes(scope)))) return true;
  const [first = [], ...others] = required;
  throw insufficientScope(first, scopes, others.map((all) => `, or ${all.join(' and ')}`).join(''));
}
