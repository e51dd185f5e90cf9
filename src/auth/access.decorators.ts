import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { Scope } from './scope.js';

/** What the contract calls the way in which a client shows its access token. */
export const BEARER = 'bearer';

/** Marks what is open to requests without an access token. */
export const IsPublic = Reflector.createDecorator<void, true>({ transform: () => true });

/** Keeps the scopes that a token needs. */
export const RequiredScopes = Reflector.createDecorator<readonly Scope[]>();

/** Marks what is to be seen while the database is away: a token that it has lately found valid is enough then. */
export const InOutages = Reflector.createDecorator<void, true>({ transform: () => true });

/** Opens a handler or a whole controller to requests without an access token. */
export function Public(): ClassDecorator & MethodDecorator {
  return applyDecorators(IsPublic(), ApiSecurity({}));
}

/** Names the scope, or all the scopes, that a token needs for a handler or a whole controller. Without it, only `admin` may enter. */
export function RequireScope(scopes: Scope | readonly Scope[]): ClassDecorator & MethodDecorator {
  const required = [scopes].flat();
  return applyDecorators(RequiredScopes(required), ApiSecurity(BEARER, required));
}
