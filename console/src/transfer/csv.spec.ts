import { describe, expect, test } from 'vitest';
import { columnsOf, rowOf, separatorOf, toJsonLine } from './csv.ts';

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
});
