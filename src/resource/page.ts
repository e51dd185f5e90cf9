import { ApiPropertyOptional } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ObjectLiteral } from 'typeorm';
import { Json } from '../store/json.js';
import { columnOf, type IndexColumn, positionOf, type Range } from '../store/range.js';
import type { Rows } from '../store/rows.js';
import type { Column, Table } from '../store/table.js';
import {
  IsIntegerParameter,
  IsStorableText,
  MAX_TEXT,
  MayBeAbsent,
  parseInt64,
} from '../validation/decorators.js';
import type { Representation } from './representation.js';
import { wrongCursor } from './resource-errors.js';

/** Characters of JSON that a page has at most, unless a single item has more. */
const PAGE_LENGTH = 1_048_576;

/** Which page of a list a client wants. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 100,
    example: 10,
    description: 'How many at most. A page of long ones has fewer: about 1 MiB of JSON.',
  })
  @IsIntegerParameter(1, 1000)
  limit = 100;

  @ApiPropertyOptional({
    description: 'Where the page before ended, as the `Link` of that page says.',
  })
  @MayBeAbsent()
  @IsStorableText(MAX_TEXT)
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

/** A part of a list of a `Collection`, as the JSON that is sent. */
export interface JsonPage<Item> {
  readonly items: Json<Item[]>;
  readonly next: string | undefined;
}

/** Reads the page of a range that a client asks for. */
export async function readPage<Row extends ObjectLiteral>(
  rows: Rows<Row>,
  range: Range,
  { limit, after }: PageQuery,
): Promise<JsonPage<Representation<Row>>> {
  const { table } = rows;
  const columns = range.order.slice(range.equal?.length ?? 0);
  const items: Json<Representation<Row>>[] = [];
  let length = 0;
  let last: ObjectLiteral = {};
  const place = after === undefined ? undefined : parseCursor(table, columns, after);
  // One more than asked for tells whether there are more.
  for await (const found of rows.read({ ...range, after: place }, limit + 1)) {
    for (const stored of found) {
      const item = table.json(stored);
      length += item.text.length;
      if (items.length > 0 && (items.length === limit || length > PAGE_LENGTH))
        return { items: Json.list(items), next: cursorOf(table, columns, positionOf(table, range, last)) };
      items.push(item);
      last = stored;
    }
  }
  return { items: Json.list(items), next: undefined };
}

/**
 * Adds the `Link` header that leads from a page of a list to the next, unless it is the last (RFC 8288).
 *
 * A reference that is relative to the address of the request, so that it holds behind any proxy.
 */
export function setNextPage(
  response: Response,
  query: PageQuery,
  { next }: Pick<Page<unknown>, 'next'>,
): void {
  if (next === undefined) return;
  const parameters = [...Object.entries(query).filter(([name]) => name !== 'after'), ['after', next]].map(
    ([name, value]): [string, string] => [name, String(value)],
  );
  response.setHeader('Link', `<?${new URLSearchParams(parameters).toString()}>; rel="next"`);
}

/** A place in an order, as one text. */
function cursorOf<Row extends ObjectLiteral>(
  table: Table<Row>,
  columns: readonly IndexColumn[],
  place: readonly unknown[],
): string {
  return columns
    .map((indexed, index) => encodeURIComponent(String(columnOf(table, indexed).encode(place[index]))))
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
