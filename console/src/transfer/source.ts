import type { PlantFields } from '../service/plants.ts';
import { parseJson } from '../exact-json.ts';
import {
  type Column,
  indexesOf,
  isId,
  problemOf,
  readRows,
  REQUIRED,
  separatorOf,
  toJsonLine,
  writeRow,
} from './csv.ts';

/** Maximum bytes of a file, which the page keeps in memory. */
const MOST_BYTES = 64 * 2 ** 20;

const EMPTY = 'No plants in this file';

/** Characters that Windows-1252 does not have. A file with one is in another encoding. */
const UNUSED = /[\u0081\u008d\u008f\u0090\u009d]/;

/** A plant of a file. */
export interface FileRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** NDJSON has one cell per line. */
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
  /** The name of the format, for users. */
  readonly format: string;
  readonly records: readonly FileRecord[];
  /** Rows that cannot be plants; never sent. */
  readonly refused: readonly Refused[];
  /** The titles of a CSV, and the column of each field; -1 if it has none. */
  readonly header: readonly string[];
  readonly indexes: Readonly<Record<string, number>>;
  /** Whether the header says neither the id nor the name, so that their columns are guessed. */
  readonly isGuessed: boolean;
  /** A record as JSON for the service. */
  readonly toJson: (cells: FileRecord['cells']) => string;
  /** The text of a record in the file. */
  readonly toText: (cells: FileRecord['cells']) => string;
  /** The beginning of a file of rejected records. */
  readonly refusalsHead: string;
  /** A rejected record as a line of the same format, to correct and import. */
  readonly toRefusal: (refused: Refused) => string;
}

/**
 * Reads the plants of a file.
 *
 * @param chosen the columns that the user has chosen for fields.
 * @throws Error that says why it cannot be imported.
 */
export async function readSource(
  file: File,
  readFields: () => Promise<PlantFields>,
  chosen: Source['indexes'] = {},
): Promise<Source> {
  if (file.size > MOST_BYTES)
    throw new Error('The file has more than 64 MiB. Split it, or use “plant-store import”.');
  const { text, encoding } = await decode(file);
  if (text.trim() === '') throw new Error(EMPTY);
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name) || /^\s*\{/.test(text);
  if (isNdjson && encoding !== undefined) throw new Error('NDJSON must be UTF-8.');
  const source = isNdjson ? readNdjson(text) : readCsv(text, await readFields(), chosen);
  if (source.records.length + source.refused.length === 0) throw new Error(EMPTY);
  return { file, ...source, format: [source.format, encoding].filter(Boolean).join(', ') };
}

/** The text of a file, and its encoding if that is not UTF-8. */
async function decode(file: File): Promise<{ text: string; encoding?: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text };
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    if (!UNUSED.test(text) && !text.includes('\0')) return { text, encoding: 'Windows-1252 (Excel)' };
  }
  throw new Error('Not a text file. Save it as CSV (UTF-8) or NDJSON.');
}

function isBlank({ cells }: FileRecord): boolean {
  return cells.every((cell) => cell.trim() === '');
}

function readNdjson(text: string): Omit<Source, 'file'> {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: index + 1, cells: [line] }));
  return {
    format: 'NDJSON',
    records: lines.filter((record) => !isBlank(record)),
    refused: [],
    header: [],
    indexes: {},
    isGuessed: false,
    toJson: ([line = '']) => line,
    toText: ([line = '']) => line,
    refusalsHead: '',
    toRefusal,
  };
}

/** The line with its refusal in front, which an import ignores. A line that is no object becomes a text. */
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

function readCsv(text: string, fields: PlantFields, chosen: Source['indexes']): Omit<Source, 'file'> {
  const separator = separatorOf(text);
  // A line that names the separator is no header.
  const isNamed = /^"?sep=/i.test(text);
  const given = readRows(text, separator).filter((row) => !isBlank(row) && !(isNamed && row.line === 1));
  const head = given.shift();
  if (head?.problem !== undefined) throw new Error(`Line ${head.line}: ${head.problem}`);
  const header = head?.cells ?? [];
  const named = indexesOf(header, fields);
  const isGuessed = REQUIRED.every((field) => named[field] === -1);
  const indexes = { ...named, ...(isGuessed && guess(given, header.length)), ...chosen };
  const columns: Column[] = Object.entries(fields)
    .map(([name, { type }]) => ({ name, type, index: indexes[name] ?? -1 }))
    .filter(({ index }) => index >= 0);
  const isComplete = REQUIRED.every((field) => columns.some(({ name }) => name === field));
  const all = given.map(({ problem, ...row }) => ({
    line: row.line,
    cells: row.cells,
    message: isComplete ? problemOf({ problem, ...row }, columns, header.length) : problem,
  }));
  const write = (cells: readonly string[]) => writeRow(cells, separator);
  return {
    format: `CSV separated by ${separator === '\t' ? 'tabs' : `“${separator}”`}`,
    records: all.filter(({ message }) => message === undefined),
    refused: all.flatMap(({ line, cells, message }) =>
      message === undefined ? [] : [{ line, cells, status: 400, error: 40001, message }],
    ),
    header,
    indexes,
    isGuessed,
    toJson: (cells) => toJsonLine(cells, columns),
    toText: (cells) => (cells.length === 1 ? (cells[0] ?? '') : write(cells)),
    // Spreadsheets need a byte order mark to detect UTF-8.
    refusalsHead: `\ufeff${write(['line', 'error', 'message', ...header])}\n`,
    toRefusal: ({ line, error, message, cells }) =>
      `${write([String(line), String(error), message, ...cells])}\n`,
  };
}

/** The likely columns: most ids are integers, names are the longest texts, and a third column has the tags. */
function guess(rows: readonly FileRecord[], width: number): Source['indexes'] {
  const columns = Array.from({ length: width }, (_, index) => rows.map(({ cells }) => cells[index] ?? ''));
  const id = columns.findIndex((cells) => cells.filter(isId).length > cells.length / 2);
  const lengths = columns.map((cells, index) => (index === id ? -1 : cells.join('').length));
  const name = id < 0 ? -1 : lengths.indexOf(Math.max(...lengths));
  return { id, name, tag: width === 3 ? 3 - id - name : -1 };
}

/** The id of a record, if any. */
export function idOf({ toJson }: Source, { cells }: FileRecord): bigint | undefined {
  try {
    const { id } = parseJson(toJson(cells)) as { id?: unknown };
    return typeof id === 'bigint' && isId(String(id)) ? id : undefined;
  } catch {
    return undefined;
  }
}
