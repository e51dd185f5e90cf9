import { parseJson } from '../exact-json.ts';
import type { PlantFields } from '../service/plants.ts';

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

/** The columns of a header; undefined when a required field has none. */
export function columnsOf(header: readonly string[], fields: PlantFields): Column[] | undefined {
  const titles = header.map((title) => title.trim().toLowerCase());
  const columns = Object.entries(fields)
    // The last one, because a file of rejected rows has columns of its own in front.
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
  const plant = parseJson(line) as Record<string, string | number | bigint | boolean>;
  return Object.keys(fields).map((name) => String(plant[name] ?? ''));
}
