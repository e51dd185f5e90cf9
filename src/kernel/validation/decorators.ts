import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The maximum characters of a text, unless its field allows fewer. It keeps every row, body and batch small. */
export const MAX_TEXT = 16_384;

/** The texts that every database can keep, as a `pattern` of the contract that every tester of contracts understands. */
export const STORABLE_TEXT = String.raw`^[^\x00]*$`;

/** One way to write each integer: no sign but a minus, no leading zeros, no fraction, no exponent. */
export const PLAIN_INTEGER = /^(0|-?[1-9]\d{0,18})$/;

/** A date and a time with an offset (RFC 3339, section 5.6). A `Date` cuts it to milliseconds, and has no leap seconds. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A day (RFC 3339, `full-date`). */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** An optional property: it may be absent, but `null` is a value like any other and has to pass the other checks. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_object: object, value: unknown) => value !== undefined);
}

/**
 * A property of type `bigint` that holds any integer of 64 bits with sign (OpenAPI format int64).
 *
 * Expects values from `parseExactJson`: a safe `number` is exact and becomes a `bigint`.
 */
export function IsInt64(): PropertyDecorator {
  return isParsed(
    (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined),
    'isInt64',
    (value) => typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX,
    `an integer from ${INT64_MIN} to ${INT64_MAX}`,
  );
}

/** A query parameter of type `number`: an integer in a range. */
export function IsIntegerParameter(least: number, most: number): PropertyDecorator {
  return isParsed(
    (value) => {
      const integer = parseInt64(value);
      return integer === undefined ? undefined : Number(integer);
    },
    'isIntegerParameter',
    (value) => typeof value === 'number' && value >= least && value <= most,
    `an integer from ${least} to ${most}`,
  );
}

/** A query parameter of type `bigint[]`: some integers of 64 bits, separated by commas or each in a parameter of its own. */
export function IsInt64List(most: number): PropertyDecorator {
  return isParsed(
    (value) => {
      const integers = String(value)
        .split(',', most + 1)
        .map(parseInt64);
      return integers.includes(undefined) ? undefined : integers;
    },
    'isInt64List',
    (value) => Array.isArray(value) && value.length > 0 && value.length <= most,
    `1 to ${most} integers from ${INT64_MIN} to ${INT64_MAX}, separated by commas`,
  );
}

/** A query parameter of type `boolean`. */
export function IsBooleanParameter(): PropertyDecorator {
  return isParsed(
    (value) => (value === 'true' || value === 'false' ? value === 'true' : undefined),
    'isBooleanParameter',
    (value) => typeof value === 'boolean',
    'true or false',
  );
}

/** A property of type `Date` that a body has as text (OpenAPI format date-time). Its column is a `text` with the transformer `timestamp`. */
export function IsTimestamp(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ pattern: TIMESTAMP.source }),
    isParsed(
      parseTimestamp,
      'isTimestamp',
      (value) => value instanceof Date,
      'a time such as 2026-03-01T08:30:00Z, with milliseconds at most',
    ),
  );
}

/** A property of type `string` that holds a day of the calendar (OpenAPI format date). Its column is a `text`. */
export function IsCalendarDay(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'date', pattern: DAY.source }),
    ValidateBy({
      name: 'isCalendarDay',
      validator: {
        validate: (value) => typeof value === 'string' && isDay(value),
        defaultMessage: () => '$property must be a day of the calendar such as 2026-03-01',
      },
    }),
  );
}

/**
 * A string that every database can keep exactly: no lone surrogates, which UTF-8 cannot encode, and no U+0000, which PostgreSQL
 * refuses and SQLite takes for the end. The contract has these rules as `pattern` and `maxLength`.
 *
 * @param most code points, as databases and JSON Schema count characters; `MaxLength()` does not count all of them.
 */
export function IsStorableText(most: number): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ maxLength: most, pattern: STORABLE_TEXT }),
    ValidateBy({
      name: 'isStorableText',
      validator: {
        validate: (value: unknown) => isStorableText(value, most),
        defaultMessage: (context) =>
          isStorableText(context?.value, Infinity)
            ? `$property must be shorter than or equal to ${most} characters`
            : '$property must be a string of Unicode characters other than U+0000',
      },
    }),
  );
}

/** Whether a value is a string that every database can keep, with at most `most` code points. */
export function isStorableText(value: unknown, most: number): value is string {
  return (
    typeof value === 'string' &&
    value.isWellFormed() &&
    !value.includes('\0') &&
    (value.length <= most || Array.from(value).length <= most)
  );
}

/** Parses an int64 of a path or a query; undefined if it is out of range or not a plain integer. */
export function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Replaces a value by the result of `parse`, unless that is undefined, and checks it. */
function isParsed(
  parse: (value: unknown) => unknown,
  name: string,
  validate: (value: unknown) => boolean,
  what: string,
): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => parse(value) ?? value),
    ValidateBy({ name, validator: { validate, defaultMessage: () => `$property must be ${what}` } }),
  );
}

/** Whether a day exists: `Date` takes February 30 for March 2. */
function isDay(text: string): boolean {
  return DAY.test(text) && new Date(text).toJSON()?.startsWith(text);
}

function parseTimestamp(value: unknown): Date | undefined {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  const [, day = ''] = TIMESTAMP.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const time = new Date(text);
  // An offset may lead to a year of more than four digits, which does not sort as text.
  return /^\d/.test(time.toJSON()) ? time : undefined;
}
