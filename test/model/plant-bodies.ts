import * as fc from 'fast-check';
import { anyCharacter } from './any-character.js';

/** Texts of any UTF-16 code units. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

const integer = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.bigInt({ min: 2n ** 63n - 2n, max: 2n ** 63n + 2n }),
  // So few that bodies share them.
  fc.bigInt({ min: -5n, max: 500n }),
);

/** Numbers of any spelling, and what only looks like one. */
const numeral = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({
        whole: integer.map(String),
        fraction: fc.option(fc.stringMatching(/^(0{1,20}|[0-9]{1,20})$/), { nil: undefined }),
        exponent: fc.option(fc.integer({ min: -25, max: 25 }), { nil: undefined }),
      })
      .map(({ whole, fraction, exponent }) =>
        [whole, fraction && `.${fraction}`, exponent && `e${exponent}`].join(''),
      ),
  },
  fc.constantFrom(
    ...`
      4503599627370497.5 1.00000000000000000001 922337203685477580.75e1 0.5e0 5e-324 1e400 1e99999999999999999999
      -0 0e999999999 0.000e-400 007 +7 .5 5. 0x10 1_000 1e 1.e1 Infinity NaN ٣ 1n
    `
      .trim()
      .split(/\s+/),
  ),
);

const value = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme' }).map((name) => JSON.stringify(name)) },
  { weight: 4, arbitrary: fc.string().map((name) => JSON.stringify(name)) },
  { weight: 2, arbitrary: text.map((name) => JSON.stringify(name)) },
  fc.json(),
  numeral,
  fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\ud83c\\udf3f"', '"\\x41"', '"\u0001"', '"\\"', 'null', '""'),
  fc.nat({ max: 100 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
);

const id = fc.oneof(
  { weight: 4, arbitrary: integer.map(String) },
  { weight: 4, arbitrary: numeral },
  { weight: 1, arbitrary: value },
);

const fieldName = fc.oneof(
  text.map((name) => JSON.stringify(name)),
  fc.constantFrom(
    '"id"',
    '"name"',
    '"tag"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"\\u0069d"',
    '"\\""',
  ),
);

const plant = fc
  .tuple(
    fc.array(fc.tuple(fieldName, value), { maxLength: 4 }),
    fc.tuple(fc.constant('"id"'), id),
    fc.tuple(fc.constant('"name"'), value),
    fc.option(fc.tuple(fc.constant('"tag"'), value), { nil: undefined }),
  )
  .map(([others, ...own]) => [...others, ...own].filter((field) => field !== undefined))
  .map((fields) => `{${fields.map((field) => field.join(':')).join(',')}}`);

/** Bodies: plants that are valid, nearly valid or wrong, other JSON, and any text. */
export const plantBody = fc.oneof({ weight: 12, arbitrary: plant }, fc.json(), text);
