import { items } from './items.js';
import type { Random } from './random.js';

/** So few ids that many inputs are about the same plant. */
const POPULAR_IDS = 10_000;

/** The largest body and the longest line. */
export const BODY_LIMIT = 1_048_576;

/** What a text is to be, more or less. */
export type Shape = 'new plant' | 'content' | 'patch';

/** An id of which many inputs speak. */
export function popularId(random: Random): bigint {
  if (random.once(20)) return random.pick(BORDERS);
  return BigInt(random.below(POPULAR_IDS));
}

/** JSON of a plant: right, nearly right, wrong, or no JSON at all. */
export function plantText(random: Random, shape: Shape): Buffer {
  if (random.once(4_000)) return hugeText(random);
  if (random.once(30)) return Buffer.from(random.pick(NO_PLANTS));
  const text = Buffer.from(objectText(random, shape));
  return random.once(4) ? mutated(random, text) : text;
}

/** Bytes with a few of them changed, added or lost. */
export function mutated(random: Random, bytes: Buffer): Buffer {
  const times = random.between(1, 3);
  let result = bytes;
  for (let count = 0; count < times; count += 1) {
    const place = random.below(result.length + 1);
    const before = result.subarray(0, place);
    const after = result.subarray(place);
    result = random.weighted<() => Buffer>([
      [3, () => Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)])],
      [3, () => Buffer.concat([before, after.subarray(random.between(1, 3))])],
      [3, () => Buffer.concat([before, random.pick(BYTES), after])],
      [1, () => Buffer.concat([before, after.subarray(0, random.below(20)), after])],
      [1, () => before],
      [
        2,
        () =>
          Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << random.below(8))]), after.subarray(1)]),
      ],
    ])();
  }
  return result;
}

const INT64_MAX = 2n ** 63n - 1n;
const BORDERS = [
  0n,
  -1n,
  INT64_MAX,
  -INT64_MAX - 1n,
  INT64_MAX - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
];

/** Bytes that are not UTF-8, or that matter to JSON, lines or HTTP. */
const BYTES: readonly Buffer[] = [
  ...[
    '\n',
    '\r\n',
    ' ',
    ...items(`
  "  \\  {  }  [  ]  ,  :  \r  \x00  \t  -  .  e  0  9  \x7f  /  '  %  \u{feff}  \u{2028}  \xa0
  \u{10ffff}  \\u0000  \\ud800  \\udfff  \\x  ""  null  "id":1,  __proto__
`),
  ].map((text) => Buffer.from(text)),
  ...items('80  c080  eda080  f4908080  f888808080  e282  ff  feff').map((hex) => Buffer.from(hex, 'hex')),
];

const NO_PLANTS = [
  '',
  ' ',
  ...items(`
  \t  \r  null  true  1  1n  -  ""  "id"  []  [{}]  {}  {  }  {"  {"id"  {"id":  undefined  NaN
  {"id":1,"name":"a",}  {,"id":1,"name":"a"}  {'id':1,'name':'a'}  {id:1,name:"a"}  {"id":1 "name":"a"}
  {"id":1,"name":"a"}}  {"id":1,"name":"a"}{"id":2,"name":"b"}  [{"id":1,"name":"a"}]
  \u{feff}{"id":1,"name":"a"}  {"id":1,"name":"a"}\x00  {"id":1,"name":"a"}//  {"id":1,"name":"a"/**/}
  \x0b{"id":1,"name":"a"}  \xa0{"id":1,"name":"a"}  {"ID":1,"Name":"a"}  id=1&name=a  <id>1</id>
`),
];

const WRONG_VALUES = items(`
  null  true  false  0  -1  1e3  []  {}  ["a"]  {"a":"b"}  [[]]  [null]  {"name":"a"}
`);

const NO_INTEGERS = items(`
  4503599627370497.5  -4503599627370497.5  0.1  1e-1  5e-324  1e-400
  9007199254740993.0000000000000000001  1.00000000000000000001  1e400  -1e400  1e19  -1e19
  9223372036854775808  -9223372036854775809  18446744073709551616  9223372036854775807.5
  9223372036854775807.0000001  922337203685477580.75e1  1e99999999999999999999  1e-99999999999999999999
  1E+309  0.5e0  123456789012345678901234567890
`);

const NO_NUMBERS = items(`
  007  +7  .5  5.  -  --1  0x10  1_000  1e  1e+  1.e1  Infinity  -Infinity  NaN  ٣  １  1n  00  -01  1 2
  "1"
`);

const ZEROS = items(`
  0  -0  0.0  -0.0  0e0  0e999999999  -0E-99999  0.000e-400  0e99999999999999999999
`);

const NAMES = [
  '',
  ...items(`
  id  name  tag  __proto__  constructor  toString  hasOwnProperty  length  Name  access_token  i\\u0064
  \\u0000  \\ud800  $ref
`),
];

/** Pieces of JSON strings as they stand between the quotes; the last ones are refused. */
const PIECES = [
  ' ',
  '  ',
  ...items(`
  a  Aloe  \xe9  e\u0301  草  🌿  👩‍🌾  \\n  \\"  \\\\  \\/  /  \\u0001  \\ud83c\\udf3f  \x7f  \u{feff}  �
  \u{fffe}  \u{2028}  '  ''; --  %  _  \\\\x41  $1  ?  \\t  \\b\\f\\r  \\u0022  \\u005C  __proto__  {}
  <b>  \u{10ffff}  🇦  ǅ  İ  \xdf
`),
];
const REFUSED_PIECES = [
  '\n',
  ...items(`
  \\u0000  \\ud800  \\udc00  \\udc00\\ud800  \\ud83ca  \x00  \t  \x1f  \\x41  \\u12  \\U0041  \\  \\a
  \\0  "
`),
];

const SPACES = [
  '',
  '',
  '',
  '',
  '',
  ' ',
  '  ',
  ...items(`
  \t  \r
`),
];

function objectText(random: Random, shape: Shape): string {
  const members: string[] = [];
  const add = (name: string, value: string) =>
    members.push(`${nameText(random, name)}${spaces(random)}:${spaces(random)}${value}`);
  if (shape === 'new plant' ? !random.once(60) : random.once(30)) add('id', idText(random));
  if (!random.once(shape === 'patch' ? 3 : 60)) add('name', valueText(random));
  if (random.once(2)) add('tag', shape === 'patch' && random.once(3) ? 'null' : valueText(random));
  while (random.once(8)) add(random.pick(NAMES), random.once(2) ? otherText(random) : valueText(random));
  // A name that comes twice.
  if (random.once(25)) add('id', idText(random));
  if (random.once(25)) add('name', valueText(random));
  if (random.once(3)) members.sort(() => random.below(3) - 1);
  const separator = random.once(4) ? `${spaces(random)},${spaces(random)}` : ',';
  return `${spaces(random)}{${spaces(random)}${members.join(separator)}${spaces(random)}}${spaces(random)}`;
}

function spaces(random: Random): string {
  return random.once(3) ? random.pick(SPACES) : '';
}

function nameText(random: Random, name: string): string {
  if (!random.once(20) || name === '') return `"${name}"`;
  const code = name.charCodeAt(0).toString(16).padStart(4, '0');
  return `"\\u${random.once(2) ? code.toUpperCase() : code}${name.slice(1)}"`;
}

/** A number literal or what stands in its place. */
function idText(random: Random): string {
  return random.weighted<() => string>([
    [45, () => String(popularId(random))],
    [15, () => String(random.bigint(48))],
    [10, () => String(random.bigint(64))],
    [4, () => String(random.bigint(70))],
    [4, () => String(random.pick(BORDERS) + BigInt(random.between(-2, 2)))],
    [
      12,
      () =>
        spelledOtherwise(
          random,
          random.once(2) ? popularId(random) : random.bigint(random.pick([20, 54, 64, 66])),
        ),
    ],
    [1, () => random.pick(ZEROS)],
    [4, () => random.pick(NO_INTEGERS)],
    [3, () => random.pick(NO_NUMBERS)],
    [2, () => (random.once(2) ? otherText(random) : random.pick(WRONG_VALUES))],
  ])();
}

/** The same number with a fraction, an exponent or both; sometimes a little more than the same. */
function spelledOtherwise(random: Random, integer: bigint): string {
  const sign = integer < 0n ? '-' : '';
  const digits = String(integer < 0n ? -integer : integer);
  const shift = random.between(-25, 25);
  const e = random.pick(['e', 'E']);
  if (shift <= 0) {
    const fraction = random.once(2)
      ? `.${'0'.repeat(random.between(1, 30))}${random.once(20) ? '1' : ''}`
      : '';
    return `${sign}${digits}${'0'.repeat(-shift)}${fraction}${e}${shift === 0 ? random.pick(['+', '-', '']) : '-'}${-shift}`;
  }
  const padded = digits.padStart(shift + 1, '0');
  const zeros = '0'.repeat(random.below(3));
  const point = padded.length - shift;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}${zeros}${e}${random.pick(['', '+', '0', '+00'])}${shift}`;
}

/** A JSON string, or now and then another value. */
function valueText(random: Random): string {
  if (random.once(25)) return random.pick(WRONG_VALUES);
  if (random.once(4)) return `"plant ${random.below(50)}"`;
  let text = '';
  while (!random.once(4)) text += random.pick(PIECES);
  if (random.once(12)) text += random.pick(REFUSED_PIECES);
  if (random.once(500)) text = text.repeat(random.below(3_000));
  return `"${text}"`;
}

/** A value that no member of a plant has: numbers of every kind, objects and arrays as deep as allowed and deeper. */
function otherText(random: Random): string {
  if (random.once(2)) return random.pick([...WRONG_VALUES, ...NO_INTEGERS, ...ZEROS]);
  const depth = random.once(3) ? random.between(61, 66) : random.below(random.once(10) ? 900 : 8);
  const [open, close] = random.pick([['[', ']'] as const, ['{"a":', '}'] as const]);
  return `${open.repeat(depth)}${random.pick(['1', '"a"', '{}', '9007199254740993'])}${close.repeat(random.once(20) ? depth + 1 : depth)}`;
}

/** A text around the limit, or one that is expensive to look at. */
function hugeText(random: Random): Buffer {
  const id = popularId(random);
  const head = `{"id":${id},"name":"`;
  return Buffer.from(
    random.weighted<() => string>([
      [4, () => `${head}${'x'.repeat(BODY_LIMIT - head.length - 2 + random.between(-1, 1))}"}`],
      [1, () => `${head}${'🌿'.repeat(random.below(200_000))}"}`],
      [1, () => `{"name":"a","id":${'9'.repeat(random.below(100_000))}}`],
      [1, () => `{"name":"a","id":${id}.${'0'.repeat(random.below(100_000))}${random.pick(['', '1'])}}`],
      [1, () => `{"id":${id},"name":"a","x":[${'0.5,'.repeat(random.below(10_000))}1]}`],
      [1, () => `{"id":${id},"name":"a",${'"tag":"b",'.repeat(random.below(10_000))}"tag":"c"}`],
      [1, () => '['.repeat(random.below(200_000))],
    ])(),
  );
}
