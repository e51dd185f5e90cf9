import { readFileSync } from 'node:fs';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The operations that clients use, with all the scopes that a token needs for each, as the README lists them; those without any are public. */
export const OPERATIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...README.matchAll(/^\| `([A-Z]+ \/\S+)` +\| ([^|]+?) +\|/gm)].map(([, operation = '', scopes = '']) => [
    operation,
    [...scopes.matchAll(/`([^`]+)`/g)].map(([, scope = '']) => scope),
  ]),
);

export const PUBLIC_OPERATIONS = Object.keys(OPERATIONS).filter((name) => OPERATIONS[name]?.length === 0);
