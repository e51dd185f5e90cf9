import type { OpenAPIObject } from '@nestjs/swagger';
import { EVENT_STREAM, INT64_TEXTS, JSON_TYPES, NDJSON, PATCH_TYPES } from '../http/body/media-types.js';
import { PLAIN_INTEGER } from '../validation/decorators.js';

const MEDIA_TYPES = new Set([...JSON_TYPES, ...PATCH_TYPES, NDJSON, EVENT_STREAM]);

interface Schema {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The contract of requests and responses that have int64s as strings: other schemas, examples and media types. */
export function withInt64Texts(contract: OpenAPIObject): OpenAPIObject {
  const schemas = Object.values(contract.components?.schemas ?? {}) as Schema[];
  const members = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
  const names = members.filter(([, schema]) => isInt64(schema)).map(([name]) => name);
  const inText = new RegExp(String.raw`("(?:${[...new Set(names)].join('|')})":)(-?\d+)`, 'g');
  const convert = (name: string, value: unknown): unknown => {
    if (typeof value === 'number') return names.includes(name) ? String(value) : value;
    if (typeof value === 'string') return value.replace(inText, '$1"$2"');
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => convert('', item));
    const converted = Object.entries(value).map(([key, inner]) => [
      MEDIA_TYPES.has(key) ? `${key};${INT64_TEXTS}` : key,
      convert(key, inner),
    ]);
    const copy = Object.fromEntries(converted) as Record<string, unknown>;
    const { items, example } = value as Record<string, unknown>;
    if (isInt64(value)) return textSchema(copy);
    const isList = isInt64(Object(items) as Schema) && Array.isArray(example);
    return isList ? { ...copy, example: example.map(String) } : copy;
  };
  return convert('', contract) as OpenAPIObject;
}

function isInt64({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

function textSchema({ type, minimum: _least, maximum: _most, example, ...schema }: Record<string, unknown>) {
  const types = [type].flat().map((name) => (name === 'integer' ? 'string' : name));
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    pattern: PLAIN_INTEGER.source,
    ...(typeof example === 'number' && { example: String(example) }),
  };
}
