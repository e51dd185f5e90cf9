import { describe, expect, test } from 'vitest';
import { readPart } from './parts.ts';

type Found = [line: number, text: string];

/** All records of a file, in parts of so many lines and bytes; each part has just the bytes of its records. */
async function cut(
  text: string,
  separator: string | undefined,
  lines: number,
  bytes: number,
): Promise<Found[]> {
  const file = new Blob([text]);
  const found: Found[] = [];
  const parts: string[] = [];
  let place = { offset: 0, line: 1 };
  for (;;) {
    const part = await readPart(file, place, { separator, lines, bytes });
    if (part === undefined) break;
    expect(part.records.length).toBeLessThanOrEqual(lines);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    found.push(...part.records.map(({ line, content }): Found => [line, decoder.decode(content)]));
    parts.push(decoder.decode(part.bytes));
    place = part.next;
  }
  expect(parts.join('')).toBe(text);
  return found;
}

describe('parts of a file', () => {
  test.for<[string, string | undefined, string, Found[]]>([
    ['nothing', undefined, '', []],
    ['one line', undefined, 'a\n', [[1, 'a']]],
    [
      'a last line without a line break',
      undefined,
      'a\nbc',
      [
        [1, 'a'],
        [2, 'bc'],
      ],
    ],
    [
      'empty lines',
      undefined,
      '\na\n\n\nb\n\n',
      [
        [1, ''],
        [2, 'a'],
        [3, ''],
        [4, ''],
        [5, 'b'],
        [6, ''],
      ],
    ],
    [
      'CRLF',
      undefined,
      'a\r\n\r\nb\r\n',
      [
        [1, 'a'],
        [2, ''],
        [3, 'b'],
      ],
    ],
    [
      'characters of up to four bytes',
      undefined,
      'ä🌱\n草\n🌿🌿🌿',
      [
        [1, 'ä🌱'],
        [2, '草'],
        [3, '🌿🌿🌿'],
      ],
    ],
    [
      'quotes of NDJSON',
      undefined,
      '{"a":"\n"}\n',
      [
        [1, '{"a":"'],
        [2, '"}'],
      ],
    ],
    [
      'a line break in quotes',
      ',',
      '1,"a\nb"\n2,c',
      [
        [1, '1,"a\nb"'],
        [3, '2,c'],
      ],
    ],
    [
      'CRLF in quotes',
      ';',
      '1;"a\r\n\r\nb"\r\n2;c\r\n',
      [
        [1, '1;"a\r\n\r\nb"'],
        [4, '2;c'],
      ],
    ],
    [
      'a quote in quotes',
      ',',
      '"a""\n""",b\n"""\n"\nc',
      [
        [1, '"a""\n""",b'],
        [3, '"""\n"'],
        [5, 'c'],
      ],
    ],
    [
      'empty quotes',
      ',',
      '"",""\n"",\n',
      [
        [1, '"",""'],
        [2, '"",'],
      ],
    ],
    [
      'a separator in quotes',
      ',',
      '"a,"\n",\n,"\nb',
      [
        [1, '"a,"'],
        [2, '",\n,"'],
        [4, 'b'],
      ],
    ],
    [
      'a quote that stands for itself',
      '\t',
      '1\t5" pot\n2\ta"\nb',
      [
        [1, '1\t5" pot'],
        [2, '2\ta"'],
        [3, 'b'],
      ],
    ],
    [
      'another separator before a quote',
      ';',
      '1,"a\n2;"b\n"',
      [
        [1, '1,"a'],
        [2, '2;"b\n"'],
      ],
    ],
  ])('have the same records whatever their size: %s', async ([, separator, text, expected]) => {
    for (const lines of [1, 2, 20_000]) {
      for (const bytes of [1, 2, 3, 4, 7, 1000])
        expect(await cut(text, separator, lines, bytes), `${lines} lines, ${bytes} bytes`).toEqual(expected);
    }
  });

  test('have as many lines as one request takes, and not more bytes', async () => {
    const lines = await readPart(new Blob(['x\n'.repeat(20_001)]), { offset: 0, line: 1 });
    const bytes = await readPart(new Blob([`${'x'.repeat(999)}\n`.repeat(5000)]), { offset: 0, line: 1 });

    expect(lines?.next).toEqual({ offset: 40_000, line: 20_001 });
    expect(bytes?.next).toEqual({ offset: 4_194_000, line: 4195 });
  });

  test('are as long as their only record', async () => {
    const part = await readPart(new Blob(['x'.repeat(5 * 2 ** 20), '\ny\n']), { offset: 0, line: 1 });

    expect(part?.next).toEqual({ offset: 5 * 2 ** 20 + 1, line: 2 });
  });

  test('begin where the last one ended, and bytes that are no text stay as they are', async () => {
    const file = new Blob(['a\n', Uint8Array.of(0xff, 0xfe), '\nb\n']);

    const part = await readPart(file, { offset: 2, line: 2 }, { lines: 1 });

    expect(part?.bytes).toEqual(Uint8Array.of(0xff, 0xfe, 0x0a));
    expect(part?.next).toEqual({ offset: 5, line: 3 });
  });

  test('do not go beyond a quote that is never closed', async () => {
    const file = new Blob(['1,a\n2,"b\n3,c\n']);
    const part = await readPart(file, { offset: 0, line: 1 }, { separator: ',' });

    expect(part?.next).toEqual({ offset: 4, line: 2 });
    await expect(readPart(file, { offset: 4, line: 2 }, { separator: ',' })).rejects.toThrow(
      'The quote in line 2 is never closed.',
    );
  });
});
