import { describe, expect, test } from 'vitest';
import { readSource } from './source.ts';

const readFields = async () => ({
  id: { type: 'integer' },
  name: { type: 'string' },
  tag: { type: 'string' },
});

const read = async (name: string, ...parts: BlobPart[]) => readSource(new File(parts, name), readFields);

/** The plants of a file, each with its line. */
async function plantsOf(name: string, content: string): Promise<[number, string][]> {
  const { records, toJson } = await read(name, content);
  return records.map(({ line, cells }) => [line, toJson(cells)]);
}

const ALOE = '{"id":1,"name":"Aloe"}';

describe('a file', () => {
  test.for<[string, string, string, [number, string][]]>([
    ['plants.ndjson', `${ALOE}\n`, 'NDJSON', [[1, ALOE]]],
    ['plants.txt', `\ufeff\r\n ${ALOE}\r\n`, 'NDJSON', [[2, ` ${ALOE}`]]],
    [
      'a.JSONL',
      `oops\n\n${ALOE}`,
      'NDJSON',
      [
        [1, 'oops'],
        [3, ALOE],
      ],
    ],
    ['plants.csv', 'id,name\r\n1,Aloe', 'CSV separated by “,”', [[2, ALOE]]],
    ['plants', '\ufeff"name\n";id;name\n2;1;Aloe\n', 'CSV separated by “;”', [[3, ALOE]]],
    ['plants.tsv', 'id\tname\n\t\n1\tAloe', 'CSV separated by tabs', [[3, ALOE]]],
    ['excel.csv', 'sep=;\r\nid;name\r\n1;Aloe', 'CSV separated by “;”', [[3, ALOE]]],
    ['old.csv', 'id,name\r1,Aloe\r', 'CSV separated by “,”', [[2, ALOE]]],
    [
      'quotes.csv',
      'id,name\n1,"a\n""b"""\n2,5" pot\n3,Aloe',
      'CSV separated by “,”',
      [
        [2, '{"id":1,"name":"a\\n\\"b\\""}'],
        [5, '{"id":3,"name":"Aloe"}'],
      ],
    ],
  ])('is known by its content: %s, %j', async ([name, content, format, plants]) => {
    expect((await read(name, content)).format).toBe(format);
    expect(await plantsOf(name, content)).toEqual(plants);
  });

  test.for<[string, BlobPart, string]>([
    ['nothing', '', 'No plants in this file'],
    ['only line breaks', '\ufeff\r\n\n', 'No plants in this file'],
    ['only a header row', 'id,name\n', 'No plants in this file'],
    ['bytes', Uint8Array.of(0x50, 0x4b, 3, 4, 0), 'Not a text file.'],
    ['code page 850', Uint8Array.from('id,name\n1,\u0081', (each) => each.charCodeAt(0)), 'Not a text file.'],
    ['a malformed header', 'id,"name" x\n1,a', 'Line 1: After a closing quote'],
    ['an array', '[{"id":1,"name":"a"}]', 'Line 1: There is a quote inside a cell'],
    ['too much', new Uint8Array(64 * 2 ** 20 + 1), 'The file has more than 64 MiB.'],
  ])('that cannot be imported says why: %s', async ([, content, message]) => {
    await expect(read('plants.csv', content)).rejects.toThrow(message);
  });

  const EXCEL = 'Nr;Bezeichnung\r\n7;Köcherbaum';

  test.for<[string, BlobPart]>([
    ['CSV separated by “;”, Windows-1252 (Excel)', Uint8Array.from(EXCEL, (each) => each.charCodeAt(0))],
    ['CSV separated by “;”, UTF-16', Uint16Array.from(`\ufeff${EXCEL}`, (each) => each.charCodeAt(0))],
  ])('of Excel is read in its encoding, and its columns are guessed: %s', async ([format, content]) => {
    const file = new File([content], 'plants.csv');

    const { records, toJson, ...source } = await readSource(file, readFields);

    expect(source.format).toBe(format);
    expect(records.map(({ cells }) => toJson(cells))).toEqual(['{"id":7,"name":"Köcherbaum"}']);
  });

  test.for([
    ['Nr;Gruppe;Bezeichnung\n7;Büro;Köcherbaum', { id: 0, name: 2, tag: 1 }],
    ['Preis;Nr;Bezeichnung;Bemerkung\n1,5;7;Köcherbaum;\n2;8;Efeu;neu', { id: 1, name: 2, tag: -1 }],
    ['Bezeichnung;Gruppe\nEfeu;Büro', { id: -1, name: -1, tag: -1 }],
    ['id;Bezeichnung\n7;Efeu', { id: 0, name: -1, tag: -1 }],
  ] as const)(
    'of other titles has guessed columns, if neither id nor name is one: %s',
    async ([text, indexes]) => {
      expect((await read('plants.csv', text)).indexes).toEqual(indexes);
    },
  );

  test.for([
    [`{"id":9007199254740993,"name":"a"}`, '"id":9007199254740993,"name":"a"}'],
    [' { "id": 1 } ', ' "id": 1 }'],
    ['{}', '"text":"{}"}'],
    ['[1]', '"text":"[1]"}'],
    ['null', '"text":"null"}'],
    ['"oops', '"text":"\\"oops"}'],
  ])('of NDJSON gives back a line that was rejected, to be corrected: %s', async ([text = '', rest]) => {
    const { toRefusal } = await read('plants.ndjson', text);

    expect(toRefusal({ line: 3, cells: [text], status: 400, error: 40001, message: 'No “name”.' })).toBe(
      `{"line":3,"error":40001,"message":"No “name”.",${rest}\n`,
    );
  });

  test('of CSV gives back a row that was rejected, below columns of its own', async () => {
    const { refusalsHead, toRefusal } = await read('plants.csv', 'id;name;tag\n2;"c;\n";d');

    expect(refusalsHead).toBe('\ufeffline;error;message;id;name;tag\n');
    const refused = { line: 2, cells: ['2', 'c;\n', 'd'], status: 409, error: 40900, message: 'Taken; "2".' };
    expect(toRefusal(refused)).toBe('2;40900;"Taken; ""2"".";2;"c;\n";d\n');
  });
});
