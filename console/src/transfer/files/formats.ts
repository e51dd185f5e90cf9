import type { DSV } from 'd3-dsv';
import { quoteLargeIntegers } from '../../exact-json.ts';
import type { PlantFields } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import type { FileRecord } from './parts.ts';

/** What a part of a file is for the service. */
export interface Batch {
  /** One NewPlant a line. */
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** Of which record each line of it was made; a record without content is no plant. */
  readonly records: readonly FileRecord[];
}

/** A line that the service did not take. */
export interface Refused {
  /** Its number in the file. */
  readonly line: number;
  readonly status: number;
  readonly error: number;
  readonly message: string;
  readonly text: string;
}

/** How plants are written in a file. */
export interface Format {
  /** As a person calls it. */
  readonly name: string;
  /** What separates cells, if any. */
  readonly separator?: string;
  readonly toBatch: (records: readonly FileRecord[], bytes: Uint8Array<ArrayBuffer>) => Batch;
  /** What a file of refusals begins with. */
  readonly refusalsHead: string;
  /** A refusal as a line of the same format, which can be corrected and imported again. */
  readonly toRefusal: (refused: Refused) => string;
}

/** Lines that are sent exactly as they are in the file. */
export const ndjson: Format = {
  name: 'NDJSON',
  toBatch: (records, bytes) => ({ body: bytes, records }),
  refusalsHead: '',
  toRefusal,
};

/** The line with its refusal in front, of which an import takes no notice; what is no object becomes a text of it. */
function toRefusal({ line, error, message, text }: Refused): string {
  const refusal = JSON.stringify({ line, error, message }).slice(0, -1);
  return isObject(text)
    ? `${refusal},${text.trim().slice(1)}\n`
    : `${refusal},"text":${JSON.stringify(text)}}\n`;
}

/** Whether a text is a JSON object that has members. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length > 0;
  } catch {
    return false;
  }
}

const SEPARATORS = [',', ';', '\t'];

/** The fields that every plant has: the contract of `POST /plants` rules out others. */
const REQUIRED = ['id', 'name'];

/** The cells that are not sent as text, by the type of their field. */
const LITERALS: Readonly<Record<string, RegExp>> = {
  integer: /^-?(0|[1-9]\d*)$/,
  number: /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/,
  boolean: /^(true|false)$/,
};

/** A field of plants, and where its cells are in a row. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly index: number;
}

/** What separates the cells of a text: it is most often in the first line, which may have line breaks in quotes. */
export function separatorOf(text: string): string {
  const [bare = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1);
  const count = (separator: string) => bare.split(separator).length;
  return SEPARATORS.toSorted((one, other) => count(other) - count(one))[0] ?? ',';
}

/** The columns of a header line; undefined when a required field has none. */
export function columnsOf(header: readonly string[], fields: PlantFields): Column[] | undefined {
  const titles = header.map((title) => title.trim().toLowerCase());
  const columns = Object.entries(fields)
    // The last one, because a file of refusals has columns of its own in front.
    .map(([name, { type }]) => ({ name, type, index: titles.lastIndexOf(name.toLowerCase()) }))
    .filter(({ index }) => index >= 0);
  return REQUIRED.every((field) => columns.some(({ name }) => name === field)) ? columns : undefined;
}

/** The NewPlant of a row. A cell that does not have the type of its field becomes a text, for the service to refuse. */
export function toJsonLine(row: readonly string[], columns: readonly Column[]): string {
  const members = columns.map(({ name, type, index }) => {
    const cell = REQUIRED.includes(name) ? row[index] : row[index] || undefined;
    // Spreadsheets write TRUE and 1E+30.
    const literal = cell?.trim().toLowerCase() ?? '';
    return [name, LITERALS[type]?.test(literal) ? JSON.rawJSON(literal) : cell];
  });
  return JSON.stringify(Object.fromEntries(members));
}

/** The row of a plant that is a line of JSON, with every digit of its integers. */
export function rowOf(line: string, fields: PlantFields): string[] {
  const plant = JSON.parse(quoteLargeIntegers(line)) as Record<string, string | number | boolean>;
  return Object.keys(fields).map((name) => String(plant[name] ?? ''));
}

/** Rows of cells, below a header line. */
export function csv(dsv: DSV, separator: string, header: string, columns: readonly Column[]): Format {
  return {
    name: texts.transfer.csv(separator),
    separator,
    toBatch: (records) => toBatch(dsv, records, columns),
    // With a byte order mark, without which spreadsheets take it for another encoding.
    refusalsHead: `\ufeff${['line', 'error', 'message', header].join(separator)}\n`,
    toRefusal: ({ line, error, message, text }) =>
      `${dsv.formatRow([String(line), String(error), message])}${separator}${text}\n`,
  };
}

/** The text of a record. @throws Error when it is not in UTF-8, which a spreadsheet can save. */
export function textOf({ line, content }: FileRecord): string {
  try {
    return decoder.decode(content);
  } catch {
    throw new Error(texts.transfer.notUtf8(line));
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function toBatch(dsv: DSV, records: readonly FileRecord[], columns: readonly Column[]): Batch {
  const lines: string[] = [];
  const origins: FileRecord[] = [];
  for (const record of records) {
    for (const row of dsv.parseRows(textOf(record))) {
      lines.push(toJsonLine(row, columns));
      origins.push(record);
    }
  }
  return { body: lines.join('\n'), records: origins };
}
