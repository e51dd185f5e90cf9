import type { PlantFields } from '../service/plants.ts';
import { columnsOf, separatorOf, toJsonLine } from './csv.ts';

/** Bytes of a file at most: the page holds all of it. */
const MOST_BYTES = 64 * 2 ** 20;

const EMPTY = 'No plants in this file';

/** A plant of a file. */
export interface FileRecord {
  /** Its line, or its row in a CSV, which may have several lines: the first is 1. */
  readonly line: number;
  /** All of a line of NDJSON is one. */
  readonly cells: readonly string[];
}

export interface Refused extends FileRecord {
  readonly status: number;
  readonly error: number;
  readonly message: string;
}

/** A file that can be imported. */
export interface Source {
  readonly file: File;
  /** How plants are written in it, as a person calls it. */
  readonly format: string;
  readonly records: readonly FileRecord[];
  readonly ignored: readonly string[];
  /** The NewPlant of a record. */
  readonly toJson: (cells: FileRecord['cells']) => string;
  /** A record as the file has it. */
  readonly toText: (cells: FileRecord['cells']) => string;
  /** What a file of rejected records begins with. */
  readonly refusalsHead: string;
  /** A rejected record as a line of the same format, which can be corrected and imported again. */
  readonly toRefusal: (refused: Refused) => string;
}

/** Reads the plants of a file. @throws Error that says why it cannot be imported. */
export async function readSource(file: File, readFields: () => Promise<PlantFields>): Promise<Source> {
  if (file.size > MOST_BYTES)
    throw new Error('The file has more than 64 MiB. Split it, or use “plant-store import”.');
  const text = await textOf(file);
  if (text.trim() === '') throw new Error(EMPTY);
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name) || /^\s*\{/.test(text);
  const source = isNdjson ? readNdjson(text) : await readCsv(text, await readFields());
  const records = source.records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (records.length === 0) throw new Error(EMPTY);
  return { file, ...source, records };
}

async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // In another encoding.
  }
  throw new Error('Not a text file. Save it as CSV (UTF-8) or NDJSON.');
}

function readNdjson(text: string): Omit<Source, 'file'> {
  return {
    format: 'NDJSON',
    records: text.split(/\r?\n/).map((line, index) => ({ line: index + 1, cells: [line] })),
    ignored: [],
    toJson: ([line = '']) => line,
    toText: ([line = '']) => line,
    refusalsHead: '',
    toRefusal,
  };
}

/** The line with its refusal in front, of which an import takes no notice; what is no object becomes a text of it. */
function toRefusal({ line, error, message, cells: [text = ''] }: Refused): string {
  const refusal = JSON.stringify({ line, error, message }).slice(0, -1);
  return isObject(text)
    ? `${refusal},${text.trim().slice(1)}\n`
    : `${refusal},"text":${JSON.stringify(text)}}\n`;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length > 0;
  } catch {
    return false;
  }
}

async function readCsv(text: string, fields: PlantFields): Promise<Omit<Source, 'file'>> {
  const separator = separatorOf(text);
  const { dsvFormat } = await import('d3-dsv');
  const dsv = dsvFormat(separator);
  // A quote that is never closed takes in the last row, too.
  const rows = dsv.parseRows(`${text}\n\0`);
  if (rows.pop()?.[0] !== '\0') throw new Error(`The quote in row ${rows.length + 1} is never closed.`);
  const [header = []] = rows;
  const columns = columnsOf(header, fields);
  if (columns === undefined) throw new Error('The header row needs the columns id and name.');
  return {
    format: `CSV separated by ${separator === '\t' ? 'tabs' : `“${separator}”`}`,
    records: rows.map((cells, index) => ({ line: index + 1, cells })).slice(1),
    ignored: header.filter((_title, index) => columns.every((column) => column.index !== index)),
    toJson: (cells) => toJsonLine(cells, columns),
    toText: (cells) => dsv.formatRow([...cells]),
    // With a byte order mark, without which spreadsheets take it for another encoding.
    refusalsHead: `\ufeff${dsv.formatRow(['line', 'error', 'message', ...header])}\n`,
    toRefusal: ({ line, error, message, cells }) =>
      `${dsv.formatRow([String(line), String(error), message, ...cells])}\n`,
  };
}
