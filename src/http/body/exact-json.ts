import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { currentRequest } from '../../logging/request-context.js';
import { int64Texts } from '../../validation/int64-texts.js';
import { contentType, JSON_TYPE } from './media-types.js';

declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is (ECMAScript proposal "JSON.parse source text access"). */
    rawJSON(text: string): object;
  }
}

/** The maximum depth of objects and arrays in a body. Validation walks values recursively. */
const MAX_DEPTH = 64;

/** The maximum number of values in a body: with a reviver, 10,000 take 9 ms. */
const MAX_VALUES = 10_000;

/** A value that is already serialized as JSON. */
export class Json<Value> {
  /** Type-only; never set. */
  declare readonly value?: Value;

  constructor(readonly text: string) {}
}

/** Doubles hold every integer of at most 15 digits. */
const MAY_BE_INEXACT = /\d[.eE]|(?<!\d)\d{16}/;
const SHORT_INTEGER = /^-?\d{1,15}$/;

/** int64 has 19 digits. */
const MAX_DIGITS = 19;

/** The longest number literal that may be an int64. Parsing digits takes quadratic time. */
const MAX_LITERAL = 100;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a JSON object in UTF-8; integers stay exact.
 *
 * @param subject names the bytes in messages.
 * @throws ApiException 40000 when the bytes are something else.
 */
export function parseJsonObject(bytes: Buffer, subject: string): object {
  const malformed = (problem: string) =>
    new ApiException(ErrorValue.MalformedBody, `${subject} must ${problem}.`);
  if (!isUtf8(bytes)) throw malformed('be encoded in UTF-8');
  let value: unknown;
  try {
    value = parseExactJson(bytes.toString());
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed('be valid JSON');
    if (error instanceof RangeError) throw malformed(error.message);
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('be a JSON object');
  return value;
}

/**
 * Parses JSON (RFC 8259) and keeps integers exact, however they are written (`7.0`, `1e3`): as a `number` where that is exact,
 * as a `bigint` up to 19 digits, and beyond as an unsafe `number`. A fraction that a double would round to an integer becomes NaN.
 *
 * @throws SyntaxError for a text that is not JSON, RangeError for one with too many levels or values.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  assertBounds(value, MAX_DEPTH, { values: 0 });
  // A reviver makes parsing ten times slower.
  return MAY_BE_INEXACT.test(text) ? JSON.parse(text, exactNumber) : value;
}

/** Writes a value as JSON, with a `bigint` as an integer of all its digits. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(withIntegers(value, rawInteger));
}

/** Writes a value as the JSON of a response, with a `bigint` in the form of the request. */
export function responseJson(value: unknown): string {
  return JSON.stringify(withIntegers(value, int64Texts.getStore()?.sent ? String : rawInteger));
}

/** Ends a response with a JSON body. @throws ApiException 50300 when too many large ones are under way */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const json = body instanceof Json ? body.text : responseJson(body);
  const length = Buffer.byteLength(json);
  response.exchange.hold(length);
  const request = currentRequest();
  if (request !== undefined) request.answeredAt = performance.now();
  // Node sends the headers and a text in one write, but not the headers and a buffer.
  response.writeHead(status, { 'Content-Type': contentType(JSON_TYPE), 'Content-Length': length }).end(json);
}

function assertBounds(value: unknown, levels: number, count: { values: number }): void {
  count.values += 1;
  if (count.values > MAX_VALUES) throw new RangeError(`not have more than ${MAX_VALUES} values`);
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new RangeError(`not nest deeper than ${MAX_DEPTH} levels`);
  for (const inner of Object.values(value)) assertBounds(inner, levels - 1, count);
}

function exactNumber(
  _key: string,
  value: unknown,
  { source = '' }: { readonly source?: string } = {},
): unknown {
  if (!Number.isInteger(value) || SHORT_INTEGER.test(source)) return value;
  if (source.length > MAX_LITERAL) return Number.NaN;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  if (significant === '' || significant.length + zeros > MAX_DIGITS) return value;
  if (zeros < 0) return Number.NaN;
  return Number.isSafeInteger(value) ? value : BigInt(sign + significant + '0'.repeat(zeros));
}

/**
 * Copies a value and replaces each `bigint` by the result of `write`. A replacer is called for every member and takes twice as
 * long.
 */
function withIntegers(value: unknown, write: (integer: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return write(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withIntegers(item, write));
  const members = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  // Object.entries() takes as long as writing the JSON.
  for (const name in members) {
    const written = withIntegers(members[name], write);
    if (written !== members[name]) (copy ??= { ...members })[name] = written;
  }
  return copy ?? value;
}

/** Numbers are written faster than raw JSON: a page of 100 takes two thirds of the time. */
function rawInteger(value: bigint): unknown {
  const isSafe = value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  return isSafe ? Number(value) : JSON.rawJSON(String(value));
}
