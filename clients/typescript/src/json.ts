import type { PlantChange, StoredPlant, ImportResult } from './contract.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const NDJSON = 'application/x-ndjson';
export const EVENT_STREAM = 'text/event-stream';

type Int64Members<Type> = { [Name in keyof Type]-?: Type[Name] extends bigint ? Name : never }[keyof Type];

/** The members that are an int64. It does not compile without one that the contract has. */
const INT64: Record<
  Int64Members<StoredPlant> | Int64Members<PlantChange> | Int64Members<ImportResult>,
  true
> = {
  id: true,
  cursor: true,
  line: true,
};

/** Writes JSON, each `bigint` as an integer. It marks them by a character that the service allows in no string. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? `\0${member}` : member,
  ).replace(/"\\u0000(-?\d+)"/g, '$1');
}

/** Reads JSON, each int64 as a `bigint`. `JSON.parse` would round large integers, so it gets them as strings. */
export function readJson(json: string): unknown {
  const exact = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) ? `"${token}"` : token,
  );
  return JSON.parse(exact, (name, value: unknown) =>
    Object.hasOwn(INT64, name) ? BigInt(value as string | number) : value,
  );
}
