import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/**
 * A property of type `bigint` that holds any integer of 64 bits with sign (OpenAPI format int64).
 *
 * Expects values from `parseExactJson`: a safe `number` is an exact integer and becomes a `bigint`; whatever else is not
 * a `bigint` was not an integer, or no int64.
 */
export function IsInt64(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      Number.isSafeInteger(value) ? BigInt(value as number) : value,
    ),
    ValidateBy({
      name: 'isInt64',
      validator: {
        validate: (value: unknown) => typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX,
        defaultMessage: () => `$property must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
      },
    }),
  );
}
