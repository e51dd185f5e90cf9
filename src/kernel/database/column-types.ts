import type { ValueTransformer } from 'typeorm';

/** An integer as either database returns it: a number where that is exact, a `bigint` beyond 2^53. */
export function exactInteger(integer: bigint | string): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : BigInt(integer);
}

/** A `bigint` in a column of type `bigint`, even where a number would be exact. */
export const int64: ValueTransformer = {
  to: (value: bigint | null) => value,
  from: (value: bigint | number | string | null) => (value === null ? null : BigInt(value)),
};

/** A `Date` in a column of type `text`: ISO 8601 in UTC sorts as text, and reads the same in every database. */
export const timestamp: ValueTransformer = {
  to: (value: Date | null | undefined) => value?.toISOString() ?? value,
  from: (value: string | null) => value && new Date(value),
};
