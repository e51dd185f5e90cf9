import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import type { AccessToken } from './access-token.entity.js';
import { insufficientScope, unauthorized } from './challenge.js';
import { Public } from './public.decorator.js';
import { RequireScope } from './require-scope.decorator.js';

/** Guards every route: a valid access token with the scope that the route requires, unless it is `@Public()`. */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(Public, route)) return true;
    await super.canActivate(context);
    const { scopes } = context.switchToHttp().getRequest<Request>().user as AccessToken;
    const required = this.reflector.getAllAndOverride(RequireScope, route) ?? 'admin';
    if (!scopes.includes(required)) throw insufficientScope(required);
    return true;
  }

  /** Passport's hook for the outcome of the strategy: the token of the request, or its refusal. */
  override handleRequest<Token>(error: unknown, token: Token | false, challenge: unknown): Token {
    if (error) throw error;
    if (!token) throw unauthorized(String(challenge));
    return token;
  }
}
