import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from './exact-json.js';

describe('JSON.stringify', () => {
  test.for([
    [{ id: 9223372036854775807n, name: 'Aloe' }, '{"id":9223372036854775807,"name":"Aloe"}'],
    [[{ id: -9007199254740993n }, { id: 0n }], '[{"id":-9007199254740993},{"id":0}]'],
    [{ name: 'Aloe', tag: undefined }, '{"name":"Aloe"}'],
    [1n, '1'],
    [[-(2n ** 53n), 1n - 2n ** 53n], '[-9007199254740992,-9007199254740991]'],
    [[2n ** 53n - 1n, 2n ** 53n], '[9007199254740991,9007199254740992]'],
  ] as const)('writes %o with every digit', ([value, json]) => {
    expect(JSON.stringify(value)).toBe(json);
  });

  test('writes what parseExactJson reads', () => {
    const json = '{"id":9007199254740993,"least":-9223372036854775808,"a":0.1,"b":null,"c":[1]}';

    expect(JSON.stringify(parseExactJson(json))).toBe(json);
  });
});

describe('parseExactJson', () => {
  test.for([
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
    ['{ "id" :\t-9007199254740993.0 }', { id: -9007199254740993n }],
    [
      '{"id":1e18,"a":1E+3,"b":12.50e1,"c":-0,"d":0.0,"e":0e9}',
      { id: 10n ** 18n, a: 1000, b: 125, c: -0, d: 0, e: 0 },
    ],
    ['{"id":4503599627370497.5,"a":1e-400,"b":1.00000000000000000001}', { id: NaN, a: NaN, b: NaN }],
    ['{"id":1e400,"a":18446744073709551616}', { id: Infinity, a: 2 ** 64 }],
    ['{"id":9007199254740993,"id":"x"}', { id: 'x' }],
    ['{"id":9007199254740993,"id":7}', { id: 7 }],
    ['{"id":7,"id":9007199254740993}', { id: 9007199254740993n }],
    ['{"id":9007199254740993,"id":"x","id":1e18}', { id: 10n ** 18n }],
    ['{"\\u0069d":1e18,"id":2e18,"\\u0069d":3e18}', { id: 3n * 10n ** 18n }],
    ['{"id":7.5,"\\u0069d":9007199254740993}', { id: 9007199254740993n }],
    ['{"\\"id\\\\":9007199254740993}', { '"id\\': 9007199254740993n }],
    ['{"a":"\\\\","b":"\\",\\"id\\":1.5","id":1e18}', { a: '\\', b: '","id":1.5', id: 10n ** 18n }],
    [
      '{"a":{"id":9007199254740993},"b":[{"id":1.5}],"id":1e18}',
      { a: { id: 9007199254740993n }, b: [{ id: 1.5 }], id: 10n ** 18n },
    ],
    ['[9007199254740993]', [9007199254740993n]],
    ['9007199254740993', 9007199254740993n],
    ['null', null],
  ] as const)('makes of %s what it says', ([json, value]) => {
    expect(parseExactJson(json)).toStrictEqual(value);
  });

  test('leaves a member that is called __proto__ where it is', () => {
    const value = parseExactJson('{"__proto__":9007199254740993,"id":1e3}') as object;

    expect(Object.entries(value)).toEqual([
      ['__proto__', 9007199254740993n],
      ['id', 1000],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('finds the members of any object', () => {
    // After an object with a member `\`, V8's JSON.parse takes the name `"` for it, as it takes `a"` for `a\`. No DTO has a
    // backslash in the name of a member, and neither have the members here.
    const name = fc.oneof(
      fc.constantFrom('a', '"', '"a"', 'é', '\n', '__proto__', '0'),
      fc.string().filter((text) => !text.includes('\\')),
    );
    const number = fc.constantFrom('9007199254740993', '1e18', '1.5', '7', '-0.5e1', '4503599627370497.5');
    const anyJson = fc.json().filter((text) => !text.includes('\\\\'));
    const member = fc.tuple(name, fc.oneof(number, anyJson));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), fc.constantFrom('', ' ', '\n\t'), (members, space) => {
        const written = members.map(([key, json]) => `${JSON.stringify(key)}${space}:${space}${json}`);

        const value = parseExactJson(`${space}{${written.join(`${space},`)}}`) as object;

        // Each member alone has neither neighbours nor others of its name.
        const alone = members.map(([key, json]) => [key, parseExactJson(`{"alone":${json}}`)] as const);
        const expected = alone.map(([key, parsed]) => [key, (parsed as { alone: unknown }).alone] as const);
        expect(new Map(Object.entries(value))).toEqual(new Map(expected));
      }),
    );
  });

  test.for([
    ['objects', '{"a":', '}'],
    ['arrays', '[', ']'],
  ] as const)('refuses %s that nest deeper than 64 levels', ([, open, close]) => {
    const nested = (levels: number) => open.repeat(levels) + '0' + close.repeat(levels);

    expect(() => parseExactJson(nested(64))).not.toThrow();
    expect(() => parseExactJson(nested(65))).toThrow(RangeError);
  });
});
