import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Principal, Scope } from './principal.js';

/** The name of the security scheme in the contract. */
export const BEARER = 'bearer';

/** Alternatives: a token needs every scope of one list. Null for a public route. */
export const RequiredScopes = Reflector.createDecorator<readonly (readonly Scope[])[] | null>();

const reflector = new Reflector();

/** While the database is away, accepts a token that was valid within the last hour. */
export const InOutages = Reflector.createDecorator<void, true>({ transform: () => true });

/** Opens a handler or a whole controller to requests without an access token. */
export function Public(): ClassDecorator & MethodDecorator {
  return applyDecorators(RequiredScopes(null), ApiSecurity({}));
}

/**
 * Names the scope, or all the scopes, that a token needs for a handler or a whole controller; several arguments are alternatives.
 * Without it, only `admin` may enter.
 */
export function RequireScope(
  ...alternatives: readonly (Scope | readonly Scope[])[]
): ClassDecorator & MethodDecorator {
  const required = alternatives.map((scopes) => [scopes].flat());
  // One entry, because Nest merges several with those of the controller. `describeAccess()` splits the scopes again.
  return applyDecorators(
    RequiredScopes(required),
    ApiSecurity(
      BEARER,
      required.map((scopes) => scopes.join(' ')),
    ),
  );
}

/** Injects the authenticated caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const caller = context.switchToHttp().getRequest<Request>().user as Principal;
  const route = [context.getHandler(), context.getClass()];
  return { ...caller, required: reflector.getAllAndOverride(RequiredScopes, route) ?? [] };
});
