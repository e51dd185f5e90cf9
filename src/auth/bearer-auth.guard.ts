import { type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { ApiException } from '../errors/api.exception.js';
import { FailureLimit } from '../limits/failure-limit.js';
import { inTime } from '../limits/patience.js';
import { waitFor } from '../logging/request-context.js';
import { InOutages, IsPublic, RequiredScopes } from './access.decorators.js';
import { bearerCredentials } from './bearer.strategy.js';
import { insufficientScope, unauthorized } from './challenge.js';
import { ProtectedResource } from './oidc/protected-resource.js';
import type { Principal } from './principal.js';
import { ADMIN, type Scope } from './scope.js';
import { TokenVerifier } from './token-verifier.js';

/** Guards every route: a valid access token with every scope that the route requires, unless it is `@Public()`. */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  /** By handler; null for public ones. */
  private readonly required = new WeakMap<object, readonly Scope[] | null>();

  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    private readonly failures: FailureLimit,
    @Optional() private readonly resource?: ProtectedResource,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): true | Promise<true> {
    const required = this.requiredScopes(context);
    if (required === null) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const secret = bearerCredentials(request);
    // Passport takes 9 µs. It is asked about a token once, and again when that was a while ago.
    const known = secret === undefined ? undefined : this.verifier.recall(secret);
    if (known === undefined) return this.authenticate(context, request, secret, required);
    request.user = known;
    return this.permit(known, required);
  }

  /** Passport's hook for the outcome of the strategy: who makes the request, or its refusal. */
  override handleRequest<User>(error: unknown, user: User | false, challenge: unknown): User {
    if (error) throw error;
    if (!user) throw unauthorized(String(challenge), this.resource?.metadataUrl);
    return user;
  }

  private requiredScopes(context: ExecutionContext): readonly Scope[] | null {
    const handler = context.getHandler();
    let required = this.required.get(handler);
    if (required === undefined) {
      const route = [handler, context.getClass()];
      const isPublic = this.reflector.getAllAndOverride(IsPublic, route);
      required = isPublic ? null : (this.reflector.getAllAndOverride(RequiredScopes, route) ?? [ADMIN]);
      this.required.set(handler, required);
    }
    return required;
  }

  private async authenticate(
    context: ExecutionContext,
    request: Request,
    secret: string | undefined,
    required: readonly Scope[],
  ): Promise<true> {
    // Counted before the look-up: thousands that are sent at once would pass a limit that counts behind it.
    if (secret !== undefined && this.verifier.isGuess(secret)) this.failures.count(request.ip);
    await this.identify(context, request);
    return this.permit(request.user as Principal, required);
  }

  private async identify(context: ExecutionContext, request: Request): Promise<void> {
    const authentication = waitFor('database', super.canActivate(context) as Promise<true>);
    if (this.reflector.get(InOutages, context.getHandler())) {
      request.user = await this.authenticateInOutage(request, authentication);
    } else await authentication;
  }

  /** Who makes a request, or who it was a while ago when the database cannot tell, or not in time. */
  private async authenticateInOutage(
    request: Request,
    authentication: Promise<true>,
  ): Promise<Express.User | undefined> {
    const remembered = this.verifier.recallInOutage(bearerCredentials(request) ?? '');
    try {
      await (remembered === undefined ? authentication : inTime(authentication));
      return request.user;
    } catch (error) {
      if (remembered === undefined || error instanceof ApiException) throw error;
      return remembered;
    }
  }

  private permit({ scopes }: Principal, required: readonly Scope[]): true {
    if (required.every((scope) => scopes.includes(scope))) return true;
    throw insufficientScope(required, scopes, this.resource?.metadataUrl);
  }
}
