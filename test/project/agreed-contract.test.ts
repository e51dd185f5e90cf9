import { describe, expect, test } from 'vitest';
import { agreedContract, breaksOf, type Document } from '../contract/document.js';

const STRING = { type: 'string' };
const REQUIRED_PARAMETER = { name: 'limit', in: 'query', required: true };

/** Changes of the contract that was agreed, as merge patches, and what of it they would break. */
const CHANGES: [string, object, string[]][] = [
  ['another operation', { paths: { '/plants': { get: { responses: {} } } } }, []],
  ['another optional member', schemas({ Plant: { properties: { height: STRING } } }), []],
  [
    'another member of errors',
    schemas({ Error: { required: ['error', 'message', 'hint'], properties: { hint: STRING } } }),
    [],
  ],
  ['other words', schemas({ Plant: { properties: { name: { description: 'What it is called.' } } } }), []],
  ['another status', create({ responses: { 429: {} } }), []],
  ['another media type', create({ requestBody: { content: { 'text/csv': { schema: STRING } } } }), []],
  ['an optional parameter', create({ parameters: [{ name: 'limit', in: 'query' }] }), []],
  ['no operation', create(null), ['is gone']],
  ['a parameter that has to be there', create({ parameters: [REQUIRED_PARAMETER] }), ['needs limit']],
  [
    'a member that has to be sent',
    schemas({ Plant: { required: ['name', 'height'], properties: { height: STRING } } }),
    ['takes another height'],
  ],
  [
    'an optional member that has to be sent',
    schemas({ Plant: { required: ['name', 'tag'] } }),
    ['takes another tag'],
  ],
  ['no tag', schemas({ Plant: { properties: { tag: null } } }), ['takes another tag', 'answers another tag']],
  [
    'a shorter name',
    schemas({ Plant: { properties: { name: { maxLength: 9 } } } }),
    ['takes another name', 'answers another name'],
  ],
  [
    'a larger error',
    schemas({ Error: { properties: { error: { format: 'int64' } } } }),
    ['answers another error'],
  ],
  ['an error without its message', schemas({ Error: { required: ['error'] } }), ['answers another message']],
  ['an answer less', create({ responses: { 400: null } }), ['answers no application/json']],
  [
    'a body of another media type',
    create({ requestBody: { content: { 'application/json': null } } }),
    ['takes no application/json'],
  ],
  [
    'other credentials',
    { components: { securitySchemes: { bearerAuth: { scheme: 'basic' } } } },
    ['takes other credentials'],
  ],
];

function schemas(changes: object): object {
  return { components: { schemas: changes } };
}

function create(changes: object | null): object {
  return { paths: { '/plants': { post: changes } } };
}

/** What a merge patch makes of a value (RFC 7396). */
function merge(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = { ...(value as object) };
  for (const [name, change] of Object.entries(patch)) merged[name] = merge(merged[name], change);
  return Object.fromEntries(Object.entries(merged).filter(([, member]) => member !== null));
}

describe('the contract that was agreed', () => {
  test.for(CHANGES)('is compared with one that has %s', ([, change, breaks]) => {
    const changed = merge(agreedContract, change) as Document;

    expect(breaksOf(agreedContract, changed)).toEqual(breaks.map((what) => `post /plants ${what}`));
  });
});
