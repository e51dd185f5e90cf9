import { parseJson } from '../exact-json.ts';
import type { PlantFields } from '../service/plants.ts';

const SEPARATORS = [',', ';', '\t', '|'];

/** The fields that every plant has: the contract of `POST /plants` rules out others. */
export const REQUIRED = ['id', 'name'];

/** The syntax of cells that are not sent as text, by the type of their field. */
const LITERALS: Readonly<Record<string, RegExp>> = {
  integer: /^-?(0|[1-9]\d*)$/,
  number: /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/,
  boolean: /^(true|false)$/,
};

/** A row of a CSV. A malformed row has a problem, and its whole text as its only cell. */
interface Row {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly problem?: string | undefined;
}

/** A field of plants, and where its cells are in a row. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly index: number;
}

/** The separator that a first line `sep=;` of Excel names, otherwise the most frequent one of the header. */
export function separatorOf(text: string): string {
  const [, named] = /^"?sep=([,;|\t])"?[\r\n]/i.exec(text) ?? [];
  const [bare = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1);
  const count = (separator: string) => bare.split(separator).length;
  return named ?? SEPARATORS.toSorted((one, other) => count(other) - count(one))[0] ?? ',';
}

/**
 * Reads the rows of a CSV (RFC 4180) strictly: a quote opens only at the beginning of a cell, and only a separator or a line end
 * follows the closing one. A malformed row ends with the line of its fault, and one whose quote is never closed with the text.
 */
export function readRows(text: string, separator: string): Row[] {
  const unquoted = new RegExp(`[^"\\r\\n\\${separator}]*`, 'y');
  const breaks = /\r\n|[\r\n]|$/g;
  const rows: Row[] = [];
  for (let at = 0, line = 1; at < text.length;) {
    const start = at;
    const cells: string[] = [];
    let problem: string | undefined;
    do {
      if (cells.length > 0) at += 1;
      const isQuoted = text[at] === '"';
      const from = at;
      if (isQuoted) at = endOfQuote(text, at);
      else {
        unquoted.lastIndex = at;
        at += unquoted.exec(text)?.[0].length ?? 0;
      }
      cells.push(isQuoted ? text.slice(from + 1, at - 1).replaceAll('""', '"') : text.slice(from, at));
      if (at > text.length) problem = 'A quote is never closed.';
      else if (!['\r', '\n', separator, undefined].includes(text[at]))
        problem = isQuoted
          ? 'After a closing quote there is more text. Double each quote inside a quoted cell.'
          : 'There is a quote inside a cell that does not begin with one.';
    } while (problem === undefined && text[at] === separator);
    breaks.lastIndex = Math.min(at, text.length);
    const end = breaks.exec(text);
    const raw = text.slice(start, end?.index);
    rows.push({ line, cells: problem === undefined ? cells : [raw], problem });
    line += 1 + (raw.match(/\r\n|[\r\n]/g)?.length ?? 0);
    at = breaks.lastIndex = (end?.index ?? text.length) + (end?.[0].length ?? 0);
    if (end?.[0] === '') break;
  }
  return rows;
}

/** The index after the closing quote; beyond the text if there is none. */
function endOfQuote(text: string, open: number): number {
  let at = open + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length + 1;
    if (text[at + 1] !== '"') return at + 1;
    at += 2;
  }
}

/** The column of each field; -1 if no title names it. */
export function indexesOf(header: readonly string[], fields: PlantFields): Readonly<Record<string, number>> {
  const titles = header.map((title) => title.trim().toLowerCase());
  // The last one: a file of rejected rows begins with other columns.
  return Object.fromEntries(
    Object.keys(fields).map((name) => [name, titles.lastIndexOf(name.toLowerCase())]),
  );
}

/** Why a row cannot be a plant. */
export function problemOf(
  { cells, problem }: Row,
  columns: readonly Column[],
  width: number,
): string | undefined {
  if (problem !== undefined) return problem;
  if (cells.some((cell, index) => index >= width && cell.trim() !== ''))
    return 'The row has more cells than the header. Quote a cell that contains a separator.';
  const id = cells[columns.find(({ name }) => name === 'id')?.index ?? -1]?.trim() ?? '';
  return isId(id) ? undefined : `“${id}” is not a whole number.`;
}

/** Whether a text is an int64, as JSON has it. */
export function isId(text: string): boolean {
  if (!LITERALS['integer']?.test(text) || text.length > 20) return false;
  return String(BigInt.asIntN(64, BigInt(text))) === text;
}

/** A row as JSON for the service. It refuses a cell of the wrong type, which is sent as text. */
export function toJsonLine(row: readonly string[], columns: readonly Column[]): string {
  const members = columns.map(({ name, type, index }) => {
    const cell = REQUIRED.includes(name) ? row[index] : row[index] || undefined;
    // Spreadsheets write TRUE and 1E+30.
    const literal = cell?.trim().toLowerCase() ?? '';
    return [name, LITERALS[type]?.test(literal) ? JSON.rawJSON(literal) : cell];
  });
  return JSON.stringify(Object.fromEntries(members));
}

/** Turns a plant in JSON into a row, with every digit of its integers. */
export function rowOf(line: string, fields: PlantFields): string[] {
  const plant = parseJson(line) as Record<string, string | number | bigint | boolean>;
  return Object.keys(fields).map((name) => String(plant[name] ?? ''));
}

/** A row as a line of CSV. */
export function writeRow(cells: readonly string[], separator: string): string {
  const special = new RegExp(`["\\r\\n\\${separator}]`);
  return cells.map((cell) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator);
}
