import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { NDJSON } from '../http/media-types.js';

/**
 * Documents a body of one JSON value a line, all of one class, which has to be among the `@ApiExtraModels()`.
 *
 * OpenAPI 3.1 has no schema for such texts: to it they are strings with a content (JSON Schema 2020-12, section 8).
 */
export function linesOf(line: Type<object>, examples: readonly object[]) {
  const contentSchema = { type: 'array', items: { $ref: getSchemaPath(line) } };
  return {
    schema: { type: 'string', contentMediaType: NDJSON, contentSchema },
    examples: { lines: { value: examples.map((value) => `${JSON.stringify(value)}\n`).join('') } },
  };
}
