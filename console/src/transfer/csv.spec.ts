import { describe, expect, test } from 'vitest';
import { indexesOf, problemOf, readRows, rowOf, separatorOf, toJsonLine, writeRow } from './csv.ts';

const FIELDS = {
  id: { type: 'integer' },
  name: { type: 'string' },
  tag: { type: 'string' },
  light: { type: 'string' },
  maxHeight: { type: 'number' },
  isRare: { type: 'boolean' },
};

const COLUMNS = Object.entries(FIELDS).map(([name, { type }], index) => ({ name, type, index }));

describe('a CSV', () => {
  test.for([
    ['id,name,tag', ','],
    ['id;name;tag', ';'],
    ['id\tname\ttag', '\t'],
    ['"id, or so";name', ';'],
    ['"a;b;c",id,name', ','],
    ['"id\n,";name\n1,a,b,c', ';'],
    ['sep=;\r\nid,name,tag', ';'],
    ['"sep=|"\nid', '|'],
    ['id', ','],
    ['', ','],
  ])('has the separator that its header line has most often: %j', ([header = '', separator]) => {
    expect(separatorOf(header)).toBe(separator);
  });

  test.for([
    [['id', 'name', 'tag'], { id: 0, name: 1, tag: 2 }],
    [['Tag', ' Name ', 'note', 'ID', 'maxheight'], { id: 3, name: 1, tag: 0, maxHeight: 4 }],
    [['line', 'name', 'name', 'id', 'light'], { id: 3, name: 2, light: 4 }],
    [['Nummer', 'Bezeichnung'], {}],
  ] as const)('has the fields of plants as columns, in any order: %j', ([header, indexes]) => {
    const known = Object.entries(indexesOf(header, FIELDS)).filter(([, index]) => index >= 0);

    expect(Object.fromEntries(known)).toEqual(indexes);
  });

  const OUTSIDE = 'There is a quote inside a cell';
  const AFTER = 'After a closing quote';
  const OPEN = 'A quote is never closed';
  const MORE = 'more cells than the header';
  const NO_ID = 'is not a whole number';

  /** A row, the message if it is refused, and the lines of the rows that are taken. */
  test.for<[string, string, number[]?]>([
    ['1,"Citrus grandis "Tomentosa"",fruit', AFTER],
    ['1,"12" pot",x', AFTER],
    ['1,"Rosa" ,x', AFTER],
    ['1,"Rosa"x', AFTER],
    ['1,"Rosa""",x"', OUTSIDE],
    ['1,""Rosa"",x', AFTER],
    ['1,Rosa "Peace",x', OUTSIDE],
    ['1,5" pot', OUTSIDE],
    ['1, "Rosa",x', OUTSIDE],
    ['1"",Rosa', OUTSIDE],
    ['1,"two\nlines "x" y",z', AFTER, [2, 5]],
    ['1,"Rosa', OPEN, [2]],
    ['1,"Rosa""', OPEN, [2]],
    ['1,Rosa canina, dog rose,shrub', MORE],
    ['1,Rosa,shrub,,,x', MORE],
    ['abc,Rosa,', NO_ID],
    [',Rosa,', NO_ID],
    ['1e3,Rosa,', NO_ID],
    ['007,Rosa,', NO_ID],
    ['1.0,Rosa,', NO_ID],
    ['9223372036854775808,Rosa,', NO_ID],
  ])('refuses a row and takes the others: %j', ([row, message, taken = [2, 4]]) => {
    const [, ...rows] = readRows(`id,name,tag\n8,Aloe,"a ""b"""\n${row}\r\n9,Fern,`, ',');
    const problems = rows.map((each) => problemOf(each, COLUMNS, 3));

    expect(problems[1]).toMatch(message);
    expect(rows.filter((_, index) => problems[index] === undefined).map(({ line }) => line)).toEqual(taken);
    expect(rows[0]?.cells).toEqual(['8', 'Aloe', 'a "b"']);
  });

  test.for([
    ['1,Aloe,', ['1', 'Aloe', '']],
    ['1,Aloe,,,', ['1', 'Aloe', '', '', '']],
    ['1,"",""', ['1', '', '']],
    ['1,"a\r\n""b"", c"', ['1', 'a\r\n"b", c']],
    ['"1";" a "', ['1', ' a ']],
    ['"1"|"""|"', ['1', '"|']],
  ] as const)('reads a row that is well-formed: %j', ([text, cells]) => {
    expect(readRows(`${text}\r\n`, separatorOf(text))).toEqual([{ line: 1, cells }]);
    expect(readRows(writeRow(cells, ';'), ';')[0]?.cells).toEqual(cells);
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
