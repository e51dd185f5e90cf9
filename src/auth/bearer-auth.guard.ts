import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { IsPublic, RequiredScopes } from './access.decorators.js';
import type { AccessToken } from './access-token.entity.js';
import { bearerCredentials } from './bearer.strategy.js';
import { insufficientScope, unauthorized } from './challenge.js';
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
    if (known === undefined) return this.authenticate(context, request, required);
    request.user = known;
    return permit(known, required);
  }

  /** Passport's hook for the outcome of the strategy: the token of the request, or its refusal. */
  override handleRequest<Token>(error: unknown, token: Token | false, challenge: unknown): Token {
    if (error) throw error;
    if (!token) throw unauthorized(String(challenge));
    return token;
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
    required: readonly Scope[],
  ): Promise<true> {
    await super.canActivate(context);
    return permit(request.user as AccessToken, required);
  }
}

function permit({ scopes }: AccessToken, required: readonly Scope[]): true {
  if (required.every((scope) => scopes.includes(scope))) return true;
  throw insufficientScope(required, scopes);
}
