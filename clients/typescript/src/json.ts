import type { PlantChange, StoredPlant, ImportResult } from './contract.ts';

/**
 * The parameter of a media type with which every int64 in JSON is a string of its digits (OData JSON Format 4.01, section
 * 3.2): `JSON.parse` would round a number beyond 2^53.
 */
const EXACT = 'IEEE754Compatible=true';

export const JSON_TYPE = `application/json;${EXACT}`;
export const MERGE_PATCH = `application/merge-patch+json;${EXACT}`;
export const NDJSON = `application/x-ndjson;${EXACT}`;
export const EVENT_STREAM = `text/event-stream;${EXACT}`;

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

/** Writes JSON, each `bigint` as a string of its digits. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

/** Reads JSON, each int64 as a `bigint`. */
export function readJson(json: string): unknown {
  return JSON.parse(json, (name, value: unknown) =>
    Object.hasOwn(INT64, name) ? BigInt(value as string) : value,
  );
}

/** Puts the integers of a JSON text that `JSON.parse` would round into quotes. */
export function quoteLargeIntegers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) ? `"${token}"` : token,
  );
}
