import { dsvFormat } from 'd3-dsv';
import { describe, expect, test } from 'vitest';
import { columnsOf, csv, ndjson, rowOf, separatorOf, toJsonLine } from './formats.ts';

const FIELDS = {
  id: { type: 'integer' },
  name: { type: 'string' },
  tag: { type: 'string' },
  light: { type: 'string' },
  maxHeight: { type: 'number' },
  isRare: { type: 'boolean' },
};

const HEADER = Object.keys(FIELDS);

const COLUMNS = columnsOf(HEADER, FIELDS) ?? [];

const recordOf = (text: string, line: number) => ({ line, content: new TextEncoder().encode(text) });

describe('a CSV', () => {
  test.for([
    ['id,name,tag', ','],
    ['id;name;tag', ';'],
    ['id\tname\ttag', '\t'],
    ['"id, or so";name', ';'],
    ['"a;b;c",id,name', ','],
    ['"id\n,";name\n1,a,b,c', ';'],
    ['id', ','],
    ['', ','],
  ])('has the separator that its header line has most often: %j', ([header = '', separator]) => {
    expect(separatorOf(header)).toBe(separator);
  });

  test.for([
    [['id', 'name', 'tag'], { id: 0, name: 1, tag: 2 }],
    [['Tag', ' Name ', 'note', 'ID', 'maxheight'], { id: 3, name: 1, tag: 0, maxHeight: 4 }],
    [['line', 'name', 'name', 'id', 'light'], { id: 3, name: 2, light: 4 }],
    [['name', 'tag'], undefined],
    [['id', 'title'], undefined],
    [[], undefined],
  ] as const)('has the fields of plants as columns, in any order: %j', ([header, indexes]) => {
    const columns = columnsOf(header, FIELDS);

    expect(columns && Object.fromEntries(columns.map(({ name, index }) => [name, index]))).toEqual(indexes);
  });

  test.for([
    [['1', 'Aloe vera', 'succulent'], '{"id":1,"name":"Aloe vera","tag":"succulent"}'],
    [['9007199254740993', 'exact', ''], '{"id":9007199254740993,"name":"exact"}'],
    [['-9223372036854775808', '', ''], '{"id":-9223372036854775808,"name":""}'],
    [['99999999999999999999', 'too large', ''], '{"id":99999999999999999999,"name":"too large"}'],
    [[' 5 ', ' a ', ' '], '{"id":5,"name":" a ","tag":" "}'],
    [['007', 'a', ''], '{"id":"007","name":"a"}'],
    [['1e3', 'a', ''], '{"id":"1e3","name":"a"}'],
    [['1.0', 'a', ''], '{"id":"1.0","name":"a"}'],
    [['', 'a', ''], '{"id":"","name":"a"}'],
    [['1'], '{"id":1}'],
    [[], '{}'],
    [['1', 'a', '', '5', ' 0.5 ', 'TRUE'], '{"id":1,"name":"a","light":"5","maxHeight":0.5,"isRare":true}'],
    [
      ['1', 'a', '', 'dark', '1E+30', 'false'],
      '{"id":1,"name":"a","light":"dark","maxHeight":1e+30,"isRare":false}',
    ],
    [['1', 'a', '', '', '0,5', 'yes'], '{"id":1,"name":"a","maxHeight":"0,5","isRare":"yes"}'],
    [['1', 'a', '', '', '', ''], '{"id":1,"name":"a"}'],
    [['1', 'a\r\n"b" 🌱\u2028', ''], '{"id":1,"name":"a\\r\\n\\"b\\" 🌱\u2028"}'],
  ] as const)('becomes a NewPlant a line: %j', ([row, line]) => {
    expect(toJsonLine(row, COLUMNS)).toBe(line);
  });

  test.for([
    [
      '{"id":9007199254740993,"name":"exact","tag":" a;\\"b\\" "}',
      ['9007199254740993', 'exact', ' a;"b" ', '', '', ''],
    ],
    [
      '{"id":-1,"name":"","light":"dark","maxHeight":0.5,"isRare":false}',
      ['-1', '', '', 'dark', '0.5', 'false'],
    ],
  ] as const)('is made of a plant as a line of JSON: %s', ([line, row]) => {
    expect(rowOf(line, FIELDS)).toEqual(row);
  });

  test('keeps of which record each line was made, and says what was refused in rows of its own', () => {
    const format = csv(dsvFormat(';'), ';', 'id;name;tag', COLUMNS);
    const records = [recordOf('1;"a;\n""b"""', 2), recordOf('', 4), recordOf('2;c;d', 5)];

    const batch = format.toBatch(records, new Uint8Array());

    expect(batch.body).toBe('{"id":1,"name":"a;\\n\\"b\\""}\n{"id":2,"name":"c","tag":"d"}');
    expect(batch.records).toEqual([records[0], records[2]]);
    expect(format.refusalsHead).toBe('\ufeffline;error;message;id;name;tag\n');
    expect(
      format.toRefusal({ line: 5, status: 409, error: 40900, message: 'Taken; "2".', text: '2;c;d' }),
    ).toBe('5;40900;"Taken; ""2"".";2;c;d\n');
  });

  test('that is not in UTF-8 is not guessed at', () => {
    const format = csv(dsvFormat(','), ',', 'id,name', COLUMNS);

    expect(() =>
      format.toBatch([{ line: 7, content: Uint8Array.of(0x31, 0x2c, 0xfc) }], new Uint8Array()),
    ).toThrow('Line 7 is not UTF-8.');
  });
});

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
