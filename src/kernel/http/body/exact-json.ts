import { isUtf8 } from 'node:buffer';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';

declare global {
  interface BigInt {
    toJSON(): object;
  }
  interface JSON {
    /** Text that `JSON.stringify` writes as it is (ECMAScript proposal "JSON.parse source text access"). */
    rawJSON(text: string): object;
  }
}

// oxlint-disable-next-line no-extend-native -- the form that MDN documents: `JSON.stringify` then writes every bigint as an integer of all its digits, in every library too.
BigInt.prototype.toJSON = function (this: bigint) {
  return JSON.rawJSON(String(this));
};

/** The maximum depth of objects and arrays in a body. Validation walks values recursively. */
const MAX_DEPTH = 64;

/** The maximum number of values in a body: with a reviver, 10,000 take 9 ms. */
const MAX_VALUES = 10_000;

/** A value that is already serialized as JSON. */
export class Json<Value> {
  /** Type-only; never set. */
  declare readonly value?: Value;

  /**
   * The value, for an interceptor that puts a list into something else. An own member, so that a copy has it too; class-transformer
   * calls it without a name, and would send its members instead.
   */
  readonly toJSON = (name?: string): unknown => {
    if (name === undefined)
      throw new Error(
        'A list is JSON already. Give ClassSerializerInterceptor to the controllers that need it, not to all.',
      );
    return JSON.parse(this.text, (_key, value: unknown, { source = '' }: { source?: string } = {}) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value,
    ) as unknown;
  };

  constructor(readonly text: string) {}
}

/** Doubles hold every integer of at most 15 digits. */
const MAY_BE_INEXACT = /\d[.eE]|(?<!\d)\d{16}/;
const SHORT_INTEGER = /^-?\d{1,15}$/;

/** int64 has 19 digits. */
const MAX_DIGITS = 19;

/** The longest number literal that may be an int64. Parsing digits takes quadratic time. */
const MAX_LITERAL = 100;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a JSON object in UTF-8; integers stay exact.
 *
 * @param subject names the bytes in messages.
 * @throws ApiException 40000 when the bytes are something else.
 */
export function parseJsonObject(bytes: Buffer, subject: string): object {
  const malformed = (problem: string) =>
    new ApiException(ErrorValue.MalformedBody, `${subject} must ${problem}.`);
  if (!isUtf8(bytes)) throw malformed('be encoded in UTF-8');
  let value: unknown;
  try {
    value = parseExactJson(bytes.toString());
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed('be valid JSON');
    if (error instanceof RangeError) throw malformed(error.message);
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('be a JSON object');
  return value;
}

/**
 * Parses JSON (RFC 8259) and keeps integers exact, however they are written (`7.0`, `1e3`): as a `number` where that is exact,
 * as a `bigint` up to 19 digits, and beyond as an unsafe `number`. A fraction that a double would round to an integer becomes NaN.
 *
 * @throws SyntaxError for a text that is not JSON, RangeError for one with too many levels or values.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  assertBounds(value, MAX_DEPTH, { values: 0 });
  // A reviver makes parsing ten times slower.
  return MAY_BE_INEXACT.test(text) ? JSON.parse(text, exactNumber) : value;
}

function assertBounds(value: unknown, levels: number, count: { values: number }): void {
  count.values += 1;
  if (count.values > MAX_VALUES) throw new RangeError(`not have more than ${MAX_VALUES} values`);
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new RangeError(`not nest deeper than ${MAX_DEPTH} levels`);
  for (const inner of Object.values(value)) assertBounds(inner, levels - 1, count);
}

function exactNumber(
  _key: string,
  value: unknown,
  { source = '' }: { readonly source?: string } = {},
): unknown {
  if (!Number.isInteger(value) || SHORT_INTEGER.test(source)) return value;
  if (source.length > MAX_LITERAL) return Number.NaN;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  if (significant === '' || significant.length + zeros > MAX_DIGITS) return value;
  if (zeros < 0) return Number.NaN;
  return Number.isSafeInteger(value) ? value : BigInt(sign + significant + '0'.repeat(zeros));
}
