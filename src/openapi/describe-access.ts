import type { OpenAPIObject } from '@nestjs/swagger';
import { BEARER } from '../auth/access.decorators.js';
import { ADMIN, type Scope } from '../auth/scope.js';
import { type Operation, operationsOf } from './operations.js';

/** Says of every operation which scopes a token needs: in its description, and as its roles, which OpenAPI 3.1 lets `bearer` have. */
export function describeAccess(document: OpenAPIObject): void {
  for (const [, operation] of operationsOf(document)) {
    const scopes = scopesOf(operation);
    const names = scopes.map((scope) => `\`${scope}\``).join(' and ');
    const access = scopes.length === 0 ? 'Needs no access token.' : `Requires ${names}.`;
    operation.description = [operation.description, access].join('\n\n');
    // Without scopes the list is empty: in `[{}]` some proxies read that a token must not be shown.
    operation.security = scopes.length === 0 ? [] : [{ [BEARER]: [...scopes] }];
  }
}

/** The scopes that the guard asks for: a handler's decorator comes after that of its controller, and overrides it. */
export function scopesOf({ security }: Operation): readonly Scope[] {
  return security === undefined ? [ADMIN] : (security.at(-1)?.[BEARER] ?? []);
}
