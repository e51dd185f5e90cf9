import type { OpenAPIObject } from '@nestjs/swagger';
import { BEARER } from '../auth/access.decorators.js';
import { ADMIN, type Scope } from '../auth/principal.js';
import { type Operation, operationsOf } from './operations.js';

/** Says of every operation which scopes a token needs: in its description, and as its roles, which OpenAPI 3.1 lets `bearer` have. */
export function describeAccess(document: OpenAPIObject): void {
  for (const [, operation] of operationsOf(document)) {
    const scopes = scopesOf(operation);
    operation.description = [operation.description, requirement(scopes)].join('\n\n');
    // Without a token the list is empty: in `[{}]` some proxies read that a token must not be shown.
    operation.security = scopes === null ? [] : [{ [BEARER]: [...scopes] }];
  }
}

/**
 * The scopes that the guard asks for, null when it asks for no token: a handler's decorator comes after that of its controller,
 * and overrides it.
 */
export function scopesOf({ security }: Operation): readonly Scope[] | null {
  return security === undefined ? [ADMIN] : (security.at(-1)?.[BEARER] ?? null);
}

function requirement(scopes: readonly Scope[] | null): string {
  if (scopes === null) return 'Needs no access token.';
  if (scopes.length === 0) return 'Requires an access token, with any scopes.';
  return `Requires ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`;
}
