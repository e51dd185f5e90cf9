import * as fc from 'fast-check';
import { anyCharacter } from '../model/any-character.js';
import type { Document, Operation, Parameter, Schema } from './document.js';

/** A request of an operation. */
export interface AllowedRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Characters that some part of a service or a store may treat apart. */
const SPECIAL = ['\0', '\t', '\n', '\u007F', '\u0085', '\u200D', '\u2028', ' ', '%', ',', '"', '\u{10FFFF}'];
const character = fc.oneof(fc.constantFrom(...SPECIAL), anyCharacter);

/** Any request that a document allows for an operation. */
export function requestsOf(
  document: Document,
  path: string,
  { parameters = [], requestBody }: Operation,
): fc.Arbitrary<AllowedRequest> {
  const of = (place: Parameter['in']) => {
    const placed = parameters.filter((parameter) => parameter.in === place);
    const required = placed.filter((parameter) => parameter.required).map(({ name }) => name);
    const entries = placed.map(({ name, schema = {} }) => [
      name,
      // An array is several parameters with one name.
      valuesOf(document, schema).map((value) => [value].flat().map(String)),
    ]);
    return fc
      .record<Record<string, string[]>, string>(
        Object.fromEntries(entries) as Record<string, fc.Arbitrary<string[]>>,
        { requiredKeys: required },
      )
      .map((values) =>
        Object.entries(values).flatMap(([name, all]) => all.map((value): [string, string] => [name, value])),
      );
  };
  const [mediaType = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return fc
    .record({
      // An address cannot have other names.
      keys: of('path').filter((keys) => keys.every(([, key]) => !/^\.{0,2}$/.test(key))),
      query: of('query'),
      headers: of('header'),
      body: content === undefined ? fc.constant(undefined) : bodiesOf(document, content.schema),
    })
    .map(({ keys, query, headers, body }) => ({
      path: `${keys.reduce((made, [name, key]) => made.replace(`{${name}}`, encodeURIComponent(key)), path)}?${new URLSearchParams(query).toString()}`,
      headers: { 'Content-Type': mediaType, ...Object.fromEntries(headers) },
      body,
    }));
}

function bodiesOf(document: Document, { contentSchema, ...schema }: Schema): fc.Arbitrary<string> {
  if (contentSchema === undefined) return valuesOf(document, schema).map((value) => JSON.stringify(value));
  const line = valuesOf(document, contentSchema.items).map((value) => `${JSON.stringify(value)}\n`);
  return fc.array(line, { maxLength: 3 }).map((lines) => lines.join(''));
}

/** Any value that a schema allows; integers are a `bigint`. */
function valuesOf(document: Document, schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, type, items = {}, properties = {}, required = [] } = schema;
  if ($ref !== undefined)
    return valuesOf(document, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map((one) => valuesOf(document, one)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(type))
    return fc.oneof(...type.map((one: string) => valuesOf(document, { ...schema, type: one })));
  switch (String(type)) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.bigInt({
        min: BigInt(schema.minimum ?? -(2n ** 63n)),
        max: BigInt(schema.maximum ?? 2n ** 63n - 1n),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? -Infinity, max: schema.maximum ?? Infinity, noNaN: true });
    case 'string':
      return textsOf(schema);
    case 'array': {
      const length = { minLength: schema.minItems ?? 0, maxLength: 5 };
      return schema.uniqueItems
        ? fc.uniqueArray(valuesOf(document, items), length)
        : fc.array(valuesOf(document, items), length);
    }
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, valuesOf(document, member)]),
        ),
        { requiredKeys: [...required], noNullPrototype: true },
      );
    default:
      throw new Error(`There are no values of ${JSON.stringify(schema)}.`);
  }
}

function textsOf({ format, pattern = '', minLength = 0, maxLength = 100 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  const any =
    format === 'date-time'
      ? times
      : fc.oneof(
          // Long ones take long to make, and tell nothing that the longest does not.
          { weight: 9, arbitrary: fc.string({ unit: character, minLength, maxLength, size: 'medium' }) },
          { weight: 1, arbitrary: fc.constantFrom('x', '🌱').map((one) => one.repeat(maxLength)) },
        );
  const isAllowed = (text = '') => new RegExp(pattern, 'u').test(text) && text.length >= minLength;
  if (format !== undefined || pattern === '') return any.filter(isAllowed);
  // Most texts are none of a narrow pattern, and those made of a pattern have hardly a special character.
  return fc
    .tuple(any, fc.stringMatching(new RegExp(pattern, 'u'), { maxLength }))
    .map((texts) => texts.find(isAllowed) ?? '')
    .filter(isAllowed);
}

/** Times to come (RFC 3339), in each of their forms. */
const times = fc
  .record({
    date: fc.date({ min: new Date('2099-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
    fraction: fc.constantFrom('', '.5', '.120', '.120000', '.123456', '.123456789'),
    offset: fc.constantFrom('Z', 'z', '+05:30', '-23:59'),
  })
  .map(({ date, fraction, offset }) => `${date.toISOString().slice(0, 19)}${fraction}${offset}`);
