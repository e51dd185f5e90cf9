import { readFileSync } from 'node:fs';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const ROWS = [...README.matchAll(/^\| `([A-Z]+ \/\S+)` +\| ([^|]+?) +\|/gm)];

/** The operations that clients use, as the README lists them: a token needs all scopes of one list, if there is any. */
export const OPERATIONS: Readonly<Record<string, readonly (readonly string[])[]>> = Object.fromEntries(
  ROWS.map(([, operation = '', scopes = '']) => [
    operation,
    scopes
      .split(' or ')
      .map((all) => [...all.matchAll(/`([^`]+)`/g)].map(([, scope = '']) => scope))
      .filter((all) => all.length > 0),
  ]),
);

/** Those that take no token. */
export const PUBLIC_OPERATIONS = ROWS.filter(([, , scopes]) => scopes === 'public').map(
  ([, operation = '']) => operation,
);
