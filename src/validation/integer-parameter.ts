import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { INT64_MAX, INT64_MIN, IsInt64 } from './is-int64.js';

/** One way to write each integer: no sign but a minus, no leading zeros, no fraction, no exponent. */
const PLAIN_INTEGER = /^(0|-?[1-9]\d{0,18})$/;

/** The integer of a path or query parameter, over the whole range of int64; undefined when it is written otherwise. */
export function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** A query parameter of type `bigint`. */
export function IsInt64Parameter(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => parseInt64(value) ?? value),
    IsInt64(),
  );
}

/** A query parameter of type `number`: an integer in a range. */
export function IsIntegerParameter(least: number, most: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      const integer = parseInt64(value);
      return integer === undefined ? value : Number(integer);
    }),
    ValidateBy({
      name: 'isIntegerParameter',
      validator: {
        validate: (value: unknown) => typeof value === 'number' && value >= least && value <= most,
        defaultMessage: () => `$property must be an integer from ${least} to ${most}`,
      },
    }),
  );
}
