/** A line of a text, without its end. */
export interface Line {
  /** Its place in the text, from 1. */
  readonly number: number;
  /** undefined when the line is longer than allowed. */
  readonly content: Buffer | undefined;
}

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines, and yields the lines that each chunk completes; empty lines are left out.
 *
 * Bytes, not text: what is not UTF-8 has to be refused, and a decoder would replace it. No more is held than a chunk and
 * one line of at most `limit` bytes.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Line[]> {
  let number = 0;
  let begun: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    length += part.length;
    if (length > limit) begun = [];
    else begun.push(part);
  };
  const end = (lines: Line[]) => {
    number += 1;
    const content = begun.length === 1 ? begun[0] : Buffer.concat(begun);
    if (length > limit) lines.push({ number, content: undefined });
    else if (length > 0) lines.push({ number, content });
    begun = [];
    length = 0;
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop !== -1; stop = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, stop));
      end(lines);
      start = stop + 1;
    }
    add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const last: Line[] = [];
  if (length > 0) end(last);
  if (last.length > 0) yield last;
}
