import { describe, expect, test } from 'vitest';
import { parseExactJson, stringifyExactJson } from './exact-json.js';

describe('stringifyExactJson', () => {
  test.for([
    [{ id: 9223372036854775807n, name: 'Aloe' }, '{"id":9223372036854775807,"name":"Aloe"}'],
    [[{ id: -9007199254740993n }, { id: 0n }], '[{"id":-9007199254740993},{"id":0}]'],
    [{ name: 'Aloe', tag: undefined }, '{"name":"Aloe"}'],
    [1n, '1'],
  ] as const)('writes %o with every digit', ([value, json]) => {
    expect(stringifyExactJson(value)).toBe(json);
  });

  test('writes what parseExactJson reads', () => {
    const json = '{"ids":[9007199254740993,-9223372036854775808,1],"a":0.1,"b":null}';

    expect(stringifyExactJson(parseExactJson(json))).toBe(json);
  });
});
