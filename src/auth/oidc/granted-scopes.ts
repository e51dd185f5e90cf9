import type { ScopeGrant } from '../../config/settings.js';
import type { Scope } from '../scope.js';

/** The claims of a token, as the identity provider made them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims that are one string with spaces between its values (RFC 8693 section 4.2; `scp` of some providers). */
const SPACED = new Set(['scope', 'scp']);

/** The grants without a setting: the claim `scope` names scopes of the service. */
export function grantsOfScope(scopes: readonly Scope[]): ScopeGrant[] {
  return scopes.map((scope) => ({ claim: 'scope', value: scope, scope }));
}

/** The scopes that claims are worth: those of the grants that they meet, and no others. */
export function grantedScopes(claims: Claims, grants: readonly ScopeGrant[]): Scope[] {
  const granted = grants.filter(({ claim, value }) => valuesOf(claims, claim).includes(value));
  return [...new Set(granted.map(({ scope }) => scope))];
}

/** What to ask the provider for as `scope` to get something. */
export function scopesToAskFor(grants: readonly ScopeGrant[]): string[] {
  return [...new Set(grants.filter(({ claim }) => SPACED.has(claim)).map(({ value }) => value))];
}

function valuesOf(claims: Claims, claim: string): readonly unknown[] {
  const found = find(claims, claim);
  if (typeof found !== 'string') return Array.isArray(found) ? found : [];
  // Not any claim: what people may write themselves, such as a nickname, would be worth every word in it.
  return SPACED.has(claim) ? found.split(' ') : [found];
}

/** A claim by its name, which may have dots of its own, or by the names on the way to it. */
function find(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((outer, name) => {
    const claimsInside = Object(outer) as Claims;
    return Object.hasOwn(claimsInside, name) ? claimsInside[name] : undefined;
  }, claims);
}
