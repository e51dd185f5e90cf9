import { Pieces } from '../../http/body/read-body.js';

/** A line of a text, without its end. */
export interface Line {
  /** Its place in the text, from 1. */
  readonly number: number;
  /** undefined when the line is longer than allowed. */
  readonly content: Buffer | undefined;
}

/** How a text is split into lines. */
interface LineOptions {
  /** Bytes that a line has at most. */
  readonly limit: number;
  /** Lines that are yielded together at most; otherwise as many as a chunk completes. */
  readonly together?: number;
}

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines, and yields those that have arrived, some at a time; empty lines are left out.
 *
 * Bytes, not text: what is not UTF-8 has to be refused, and a decoder would replace it. No more is held than a chunk and
 * one line.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  { limit, together }: LineOptions,
): AsyncGenerator<Line[]> {
  const begun = new Pieces();
  let number = 0;
  let isTooLong = false;
  let lines: Line[] = [];
  const add = (part: Buffer) => {
    isTooLong ||= begun.length + part.length > limit;
    if (isTooLong) begun.take();
    else begun.add(part);
  };
  const end = (rest: Buffer) => {
    number += 1;
    let content: Buffer | undefined = rest;
    if (begun.length > 0 || isTooLong || rest.length > limit) {
      add(rest);
      content = isTooLong ? undefined : begun.take();
    }
    if (content?.length !== 0) lines.push({ number, content });
    isTooLong = false;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop !== -1; stop = chunk.indexOf(NEWLINE, start)) {
      end(chunk.subarray(start, stop));
      start = stop + 1;
      if (lines.length === together) {
        yield lines;
        lines = [];
      }
    }
    add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
    lines = [];
  }
  end(Buffer.alloc(0));
  if (lines.length > 0) yield lines;
}
