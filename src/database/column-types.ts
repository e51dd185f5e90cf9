import type { ValueTransformer } from 'typeorm';

/**
 * A `bigint` in a column of type `bigint`.
 *
 * PostgreSQL returns an int64 as text; SQLite as a number where that is exact, and as a `bigint` beyond 2^53.
 */
export const int64: ValueTransformer = {
  to: (value: bigint | null) => value,
  from: (value: bigint | number | string | null) => (value === null ? null : BigInt(value)),
};

/** A `Date` in a column of type `text`: ISO 8601 in UTC sorts as text, and reads the same in every database. */
export const timestamp: ValueTransformer = {
  to: (value: Date | null | undefined) => value?.toISOString() ?? value,
  from: (value: string | null) => value && new Date(value),
};
