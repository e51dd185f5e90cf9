import type { ValueTransformer } from 'typeorm';

/**
 * A `bigint` in a column of type `bigint`.
 *
 * PostgreSQL gives an int64 as text, SQLite as a JavaScript number, which is rounded beyond 2^53: better no row than
 * another row's id.
 */
export const int64: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: number | string | null) => {
    if (value === null) return null;
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw new RangeError('Read this integer as text: CAST(… AS TEXT).');
    return BigInt(value);
  },
};

/** A `Date` in a column of type `text`: ISO 8601 in UTC sorts as text, and reads the same in every database. */
export const timestamp: ValueTransformer = {
  to: (value: Date | null | undefined) => value?.toISOString() ?? value,
  from: (value: string | null) => value && new Date(value),
};

/** Any JSON value in a column of type `text`. */
export const json: ValueTransformer = {
  to: (value: unknown) => (value === null || value === undefined ? value : JSON.stringify(value)),
  from: (value: string | null) => (value === null ? null : (JSON.parse(value) as unknown)),
};
