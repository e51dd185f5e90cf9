import { describe, expect, test } from 'vitest';
import { inspect } from './source.ts';

const readFields = async () => ({ id: { type: 'integer' }, name: { type: 'string' } });

const fileOf = (name: string, ...parts: BlobPart[]) => new File(parts, name);

describe('a file', () => {
  test.for<[string, string, string, { offset: number; line: number }]>([
    ['plants.ndjson', '{"id":1}\n', 'NDJSON', { offset: 0, line: 1 }],
    ['plants.txt', '\ufeff\r\n {"id":1}\n', 'NDJSON', { offset: 3, line: 1 }],
    ['plants.JSONL', 'oops\n{"id":1}\n', 'NDJSON', { offset: 0, line: 1 }],
    ['plants.csv', 'id,name\r\n1,a', 'CSV separated by “,”', { offset: 9, line: 2 }],
    ['plants', '\ufeff"name\n";id;name\n1;2;a', 'CSV separated by “;”', { offset: 19, line: 3 }],
    ['plants.tsv', 'id\tname\n1\ta', 'CSV separated by tabs', { offset: 8, line: 2 }],
  ])('is known by its content: %s, %j', async ([name, content, format, start]) => {
    const source = await inspect(fileOf(name, content), readFields);

    expect(source.format.name).toBe(format);
    expect(source.start).toEqual(start);
  });

  test('shows its first records as the service will see them, with every digit', async () => {
    const text = '{"id":9007199254740993,"name":"\\u00e9","tag":""}\n\n{"id":"a","name":7}\noops\n';

    expect((await inspect(fileOf('a.ndjson', text), readFields)).preview).toEqual([
      {
        id: '9007199254740993',
        name: 'é',
        tag: '',
        text: '{"id":9007199254740993,"name":"\\u00e9","tag":""}',
      },
      { id: 'a', name: '7', text: '{"id":"a","name":7}' },
      { text: 'oops' },
    ]);
  });

  test.for<[string, BlobPart, string]>([
    ['nothing', '', 'No plants in this file'],
    ['only line breaks', '\ufeff\r\n\n', 'No plants in this file'],
    ['only a header line', 'id,name\n', 'No plants in this file'],
    ['bytes', Uint8Array.of(0x50, 0x4b, 3, 4, 0), 'Not a text file.'],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x69, 0, 0x64, 0), 'Not a text file.'],
    [
      'another encoding',
      Uint8Array.from('id,name\n1,é', (character) => character.charCodeAt(0)),
      'Line 2 is not UTF-8.',
    ],
    ['other columns', 'nr,title\n1,a', 'The header row needs the columns'],
    ['no line break that counts', 'id,name\r1,a\r', 'The header row needs the columns'],
    ['an array', '[{"id":1,"name":"a"}]', 'The header row needs the columns'],
  ])('that cannot be imported says why: %s', async ([, content, message]) => {
    await expect(inspect(fileOf('plants.csv', content), readFields)).rejects.toThrow(message);
  });
});
