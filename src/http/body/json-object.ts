import { isUtf8 } from 'node:buffer';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { MAX_DEPTH, parseExactJson, TooDeepError } from './exact-json.js';

/**
 * Parses bytes that have to be a JSON object in UTF-8; integers stay exact.
 *
 * @param subject what the bytes are, for the message of a refusal.
 * @throws ApiException 40000 when they are something else.
 */
export function parseJsonObject(bytes: Buffer, subject: string): object {
  const malformed = (problem: string) =>
    new ApiException(ErrorValue.MalformedBody, `${subject} must ${problem}.`);
  if (!isUtf8(bytes)) throw malformed('be encoded in UTF-8');
  let value: unknown;
  try {
    value = parseExactJson(bytes.toString());
  } catch (error) {
    if (error instanceof TooDeepError) throw malformed(`not nest deeper than ${MAX_DEPTH} levels`);
    if (error instanceof SyntaxError) throw malformed('be valid JSON');
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('be a JSON object');
  return value;
}
