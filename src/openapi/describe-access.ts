import type { OpenAPIObject } from '@nestjs/swagger';
import { BEARER } from '../auth/access.decorators.js';
import { ADMIN, type Scope } from '../auth/scope.js';
import { type Operation, operationsOf } from './operations.js';

/** Says in the description of every operation which scopes a token needs. */
export function describeAccess(document: OpenAPIObject): void {
  for (const [, operation] of operationsOf(document)) {
    const scopes = scopesOf(operation);
    const names = scopes.map((scope) => `\`${scope}\``).join(' and ');
    const access = scopes.length === 0 ? 'Needs no access token.' : `Requires ${names}.`;
    operation.description = [operation.description, access].join('\n\n');
  }
}

/** The scopes that `@RequireScope()` names, or the guard in its absence; none where the operation is `@Public()`. */
export function scopesOf({ security = [{ [BEARER]: [ADMIN] }] }: Operation): readonly Scope[] {
  return security.flatMap((requirement) => requirement[BEARER] ?? []);
}
