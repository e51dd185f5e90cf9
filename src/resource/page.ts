import { ApiPropertyOptional } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ObjectLiteral } from 'typeorm';
import { type IndexColumn, type Range, columnOf, placeOf } from '../store/range.js';
import type { Rows } from '../store/rows.js';
import type { Column, Table } from '../store/table.js';
import { IsIntegerParameter, parseInt64 } from '../validation/integer-parameter.js';
import { IsStorableText } from '../validation/is-storable-text.js';
import { MayBeAbsent } from '../validation/may-be-absent.js';
import { wrongCursor } from './resource-errors.js';

/** Bytes of JSON that a page has at most, unless a single resource has more: texts may be as large as a body. */
const PAGE_BYTES = 1_048_576;

/** A character that is longer in JSON than in UTF-8. */
const ESCAPED = /[^ !#-[\]-\uffff]/;

/** Which page of a list a client wants. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 100,
    example: 10,
    description: 'How many at most. A page with large ones has fewer: 1 MiB of JSON, or one.',
  })
  @IsIntegerParameter(1, 1000)
  limit = 100;

  @ApiPropertyOptional({
    description: 'Where the page before ended, as the `Link` of that page says.',
  })
  @MayBeAbsent()
  @IsStorableText()
  after?: string;
}

/** A part of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** The `after` of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** The page made of items in their order, of which one more than `limit` was looked for; `cursor` makes the `after` of the next page. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursor: (last: Item) => string,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: last === undefined || found.length <= limit ? undefined : cursor(last) };
}

/** Reads the page of a range that a client asks for. */
export async function readPage<Row extends ObjectLiteral>(
  rows: Rows<Row>,
  range: Range,
  { limit, after }: PageQuery,
): Promise<Page<Row>> {
  const { table } = rows;
  const columns = range.order.slice(range.equal?.length ?? 0);
  const items: Row[] = [];
  let bytes = 0;
  const place = after === undefined ? undefined : parseCursor(table, columns, after);
  // One more than asked for tells whether there are more.
  for await (const found of rows.read({ ...range, after: place }, limit + 1)) {
    for (const row of found) {
      bytes += jsonBytes(table, row);
      const last = items.at(-1);
      if (last !== undefined && (items.length === limit || bytes > PAGE_BYTES))
        return { items, next: cursorOf(table, columns, last) };
      items.push(row);
    }
  }
  return { items, next: undefined };
}

/**
 * Adds the `Link` header that leads from a page of a list to the next, unless it is the last (RFC 8288).
 *
 * A reference that is relative to the address of the request, so that it holds behind any proxy.
 */
export function setNextPage(response: Response, query: PageQuery, { next }: Page<unknown>): void {
  if (next === undefined) return;
  const parameters = [...Object.entries(query).filter(([name]) => name !== 'after'), ['after', next]].map(
    ([name, value]): [string, string] => [name, String(value)],
  );
  response.setHeader('Link', `<?${new URLSearchParams(parameters).toString()}>; rel="next"`);
}

/** Where a row is in an order, as one text. */
function cursorOf<Row extends ObjectLiteral>(
  table: Table<Row>,
  columns: readonly IndexColumn[],
  row: Row,
): string {
  return columns
    .map((indexed) => encodeURIComponent(String(columnOf(table, indexed).encode(placeOf(indexed, row)))))
    .join();
}

/** @throws ApiException 40002 when the text is none that `cursorOf` makes. */
function parseCursor<Row extends ObjectLiteral>(
  table: Table<Row>,
  columns: readonly IndexColumn[],
  cursor: string,
): unknown[] {
  const parts = cursor.split(',');
  const values = columns.map((indexed, index) => parsePart(columnOf(table, indexed), parts[index]));
  if (parts.length === columns.length && !values.includes(undefined)) return values;
  throw wrongCursor();
}

/** The value of a column; undefined when the text is not the one of any. */
function parsePart({ type, encode, decode }: Column, part = ''): unknown {
  try {
    const text = decodeURIComponent(part);
    if (type === 'BIGINT') return parseInt64(text);
    const value = decode(type === 'TEXT' ? text : type === 'BOOLEAN' ? text === 'true' : Number(text));
    return text.isWellFormed() && !text.includes('\0') && String(encode(value)) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of the texts of a row in JSON. */
function jsonBytes<Row extends ObjectLiteral>({ columns }: Table<Row>, row: Row): number {
  let bytes = 0;
  for (const { property } of columns) {
    const value: unknown = row[property];
    if (typeof value === 'string')
      bytes += Buffer.byteLength(ESCAPED.test(value) ? JSON.stringify(value) : value);
    else if (typeof value === 'object' && value !== null) bytes += Buffer.byteLength(JSON.stringify(value));
  }
  return bytes;
}
