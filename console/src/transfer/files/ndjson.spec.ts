import { expect, test } from 'vitest';
import { ndjson } from './ndjson.ts';

test.for([
  ['{"id":9007199254740993,"name":"a"}', '"id":9007199254740993,"name":"a"}'],
  [' { "id": 1 } ', ' "id": 1 }'],
  ['{}', '"text":"{}"}'],
  ['[1]', '"text":"[1]"}'],
  ['null', '"text":"null"}'],
  ['"oops', '"text":"\\"oops"}'],
])('a refused line can be corrected and imported again: %s', ([text = '', rest]) => {
  expect(ndjson.toRefusal({ line: 3, status: 400, error: 40001, message: 'No “name”.', text })).toBe(
    `{"line":3,"error":40001,"message":"No “name”.",${rest}\n`,
  );
});
