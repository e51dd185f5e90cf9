import { readFileSync } from 'node:fs';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const ROWS = [...README.matchAll(/^\| `([A-Z]+ \/\S+)` +\| ([^|]+?) +\|/gm)];

/** The operations that clients use, with all the scopes that a token needs for each, as the README lists them. */
export const OPERATIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ROWS.map(([, operation = '', scopes = '']) => [
    operation,
    [...scopes.matchAll(/`([^`]+)`/g)].map(([, scope = '']) => scope),
  ]),
);

/** Those that take no token. */
export const PUBLIC_OPERATIONS = ROWS.filter(([, , scopes]) => scopes === 'public').map(
  ([, operation = '']) => operation,
);
