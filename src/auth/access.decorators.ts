import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import type { Scope } from './principal.js';

/** The name of the security scheme in the contract. */
export const BEARER = 'bearer';

/** The scopes that a token needs; null where nobody needs a token. */
export const RequiredScopes = Reflector.createDecorator<readonly Scope[] | null>();

/** Lets a token in that was valid within the last hour while the database is away. */
export const InOutages = Reflector.createDecorator<void, true>({ transform: () => true });

/** Opens a handler or a whole controller to requests without an access token. */
export function Public(): ClassDecorator & MethodDecorator {
  return applyDecorators(RequiredScopes(null), ApiSecurity({}));
}

/** Names the scope, or all the scopes, that a token needs for a handler or a whole controller. Without it, only `admin` may enter. */
export function RequireScope(scopes: Scope | readonly Scope[]): ClassDecorator & MethodDecorator {
  const required = [scopes].flat();
  return applyDecorators(RequiredScopes(required), ApiSecurity(BEARER, required));
}
