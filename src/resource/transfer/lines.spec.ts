import { describe, expect, test } from 'vitest';
import { linesOf } from './lines.js';

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function split(text: string, size: number, limit = 100): Promise<(string | number | undefined)[][]> {
  const found: (string | number | undefined)[][] = [];
  for await (const lines of linesOf(chunksOf(text, size), { limit })) {
    found.push(...lines.map(({ number, content }) => [number, content?.toString()]));
  }
  return found;
}

describe('lines', () => {
  test.for<[string, string, [number, string | undefined][]]>([
    ['nothing', '', []],
    ['one line', 'a\n', [[1, 'a']]],
    [
      'a last line without an end',
      'a\nbc',
      [
        [1, 'a'],
        [2, 'bc'],
      ],
    ],
    [
      'empty lines, which count and are left out',
      '\na\n\n\nb\n\n',
      [
        [2, 'a'],
        [5, 'b'],
      ],
    ],
    [
      'characters of several bytes',
      'ä🌱\n草\n',
      [
        [1, 'ä🌱'],
        [2, '草'],
      ],
    ],
    [
      'a line of just the limit',
      `${'x'.repeat(100)}\ny`,
      [
        [1, 'x'.repeat(100)],
        [2, 'y'],
      ],
    ],
    [
      'a line beyond the limit',
      `a\n${'x'.repeat(101)}\nb\n${'y'.repeat(300)}`,
      [
        [1, 'a'],
        [2, undefined],
        [3, 'b'],
        [4, undefined],
      ],
    ],
  ])('are the same whatever the size of the chunks: %s', async ([, text, expected]) => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(await split(text, size), `chunks of ${size}`).toEqual(expected);
  });
});
