import { texts } from '../../texts.ts';

/** Lines of a part at most. */
const MOST_LINES = 20_000;

/** Bytes of a part at most, unless its only record is longer. */
const MOST_BYTES = 4 * 2 ** 20;

/** Bytes in which a record has to end. */
const LONGEST_RECORD = 16 * MOST_BYTES;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;

/** Where a record of a file begins. */
export interface Place {
  /** In bytes. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
}

/** A line of NDJSON or a row of CSV, without its end. */
export interface FileRecord {
  /** The number of its first line in the file. */
  readonly line: number;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Some records of a file, empty ones too. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly records: readonly FileRecord[];
  readonly next: Place;
}

interface PartOptions {
  /** What separates the cells of a CSV, in which a line break within quotes ends no record. */
  readonly separator?: string | undefined;
  readonly lines?: number;
  readonly bytes?: number;
}

/**
 * Reads the records of a file from a place on, as many as fit into one request; undefined at the end.
 *
 * Bytes, not text: only the service decides what is UTF-8, and says so line by line.
 *
 * @throws Error when a record has no end, as without its closing quote.
 */
export async function readPart(
  file: Blob,
  place: Place,
  { separator, lines = MOST_LINES, bytes: most = MOST_BYTES }: PartOptions = {},
): Promise<Part | undefined> {
  if (place.offset >= file.size) return undefined;
  for (let length = most; length <= LONGEST_RECORD; length *= 4) {
    const bytes = new Uint8Array(await file.slice(place.offset, place.offset + length).arrayBuffer());
    const isLast = place.offset + bytes.length >= file.size;
    const part = cut(bytes, place, { isLast, separator, lines, most });
    if (part.records.length > 0) return part;
    if (isLast) break;
  }
  throw new Error(texts.transfer.noEnd(place.line));
}

/** Cuts bytes after each line break, but for those in quotes: these begin and end a cell, or stand for themselves. */
function cut(
  bytes: Uint8Array<ArrayBuffer>,
  place: Place,
  limits: { isLast: boolean; separator: string | undefined; lines: number; most: number },
): Part {
  const separator = limits.separator?.charCodeAt(0);
  const records: FileRecord[] = [];
  let { line } = place;
  let start = 0;
  let first = line;
  let isQuoted = false;
  let closed = -1;
  const end = (stop: number, next: number) => {
    const contentEnd = stop > start && bytes[stop - 1] === RETURN ? stop - 1 : stop;
    records.push({ line: first, content: bytes.subarray(start, contentEnd) });
    start = next;
    first = line;
  };
  const isFull = () => records.length === limits.lines || start >= limits.most;
  for (let at = 0; at < bytes.length && !isFull(); at += 1) {
    const byte = bytes[at];
    if (byte === NEWLINE) {
      line += 1;
      if (!isQuoted) end(at, at + 1);
    } else if (byte === QUOTE && separator !== undefined) {
      if (isQuoted) closed = at;
      isQuoted = !isQuoted && (at === start || bytes[at - 1] === separator || closed === at - 1);
    }
  }
  if (limits.isLast && !isQuoted && !isFull() && start < bytes.length) end(bytes.length, bytes.length);
  return { bytes: bytes.subarray(0, start), records, next: { offset: place.offset + start, line: first } };
}
