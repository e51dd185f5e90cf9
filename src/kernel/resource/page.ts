import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ObjectLiteral } from 'typeorm';
import {
  boundsOf,
  columnOf,
  compare,
  lastOf,
  positionOf,
  type IndexScan,
  SEPARATOR,
} from '../store/scans/index-scan.js';
import type { Queries } from '../store/queries.js';
import { PAGE_LENGTH, type Rows } from '../store/rows.js';
import { Json } from '../http/body/exact-json.js';
import { readInTurn } from '../database/event-loop.js';
import type { Column, Key, Table } from '../store/table.js';
import {
  IsBooleanParameter,
  IsIntegerParameter,
  IsStorableText,
  MAX_TEXT,
  MayBeAbsent,
  parseInt64,
} from '../validation/decorators.js';
import type { Representation } from './resource.js';
import { wrongCursor } from './resource-errors.js';

export const DEFAULT_LIMIT = 100;

export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: DEFAULT_LIMIT,
    example: 10,
    description: 'The maximum number per page. A page of long items has fewer: about 1 MiB of JSON.',
  })
  @IsIntegerParameter(1, 1000)
  limit = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description: 'Where the previous page ended: its `X-Next-After`.',
  })
  @MayBeAbsent()
  @IsStorableText(MAX_TEXT)
  after?: string;
}

/** A page of a `Collection`, which can count all that a list has. */
export class CollectionQuery extends PageQuery {
  @ApiPropertyOptional({
    type: 'boolean',
    description: 'Whether `X-Total-Count` says how many there are on all pages, at the moment of this one.',
    example: true,
  })
  @MayBeAbsent()
  @IsBooleanParameter()
  total?: boolean;
}

@ApiSchema({ name: 'Count', description: 'How many there are.' })
export class CountDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many there are.', example: 1 })
  readonly count: number;
}

export interface Page<Item> {
  readonly items: Item[];
  /** The `after` of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** A page whose items are JSON already. */
export interface JsonPage<Item> {
  readonly items: Json<Item[]>;
  readonly next: string | undefined;
  /** How many there are on all pages, if that was asked for. */
  readonly total?: number;
  /** The keys that a list by keys has not reached. */
  readonly rest?: readonly Key[];
}

/**
 * Makes a page of at most `limit` items. If `found` has one more, there is a next page, and `cursor` makes its `after` from the
 * last item.
 */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursor: (last: Item) => string,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: last === undefined || found.length <= limit ? undefined : cursor(last) };
}

export async function readPage<Row extends ObjectLiteral>(
  rows: Rows<Row>,
  scan: IndexScan,
  { limit, after }: PageQuery,
  queries?: Queries,
): Promise<JsonPage<Representation<Row>>> {
  const { table } = rows;
  const place = after === undefined ? undefined : parseCursor(table, scan, after);
  let text = '';
  let count = 0;
  /** The row after which the next page continues if this one is not full. */
  let reached: string | undefined;
  // One more than asked for tells whether there are more.
  const read = async () => {
    for await (const found of rows.read({ ...scan, after: place }, limit + 1, queries)) {
      text += count === 0 || found.count === 0 ? found.text : SEPARATOR + found.text;
      count += found.count;
      if (scan.filter !== undefined) reached = found.end;
      if (count > limit || (count > 1 && text.length > PAGE_LENGTH)) break;
    }
  };
  // Searches take turns of their own.
  await ((scan.filter ?? scan.source) === undefined ? readInTurn(read) : read());
  let end = text.length;
  for (let surplus = count - limit; surplus > 0; surplus -= 1) end = text.lastIndexOf(SEPARATOR, end - 1);
  if (count > 1 && end > PAGE_LENGTH) end = text.lastIndexOf(SEPARATOR, PAGE_LENGTH);
  // The first item alone is longer than a page.
  if (end === -1) end = text.indexOf(SEPARATOR);
  const items = text.slice(0, end);
  const last = end < text.length ? lastOf(items) : reached;
  return { items: new Json(`[${items}]`), next: last && cursorOf(table, scan, last) };
}

/**
 * Adds the headers that lead from a page of a list to the next, unless it is the last, and `X-Total-Count`.
 *
 * `Link` (RFC 8288) is relative to the address of the request, so that it is right behind any proxy. `X-Next-After` is the
 * `after` in it, for clients that do not parse links.
 */
export function setPageHeaders(
  response: Response,
  query: PageQuery,
  { next, total, rest = [] }: Pick<JsonPage<unknown>, 'next' | 'total' | 'rest'>,
): void {
  if (total !== undefined) response.setHeader('X-Total-Count', total);
  if (rest.length > 0) response.setHeader('Link', `<?ids=${rest.join()}>; rel="next"`);
  if (next === undefined) return;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  parameters.set('after', next);
  response.setHeader('Link', `<?${parameters.toString()}>; rel="next"`);
  response.setHeader('X-Next-After', next);
}

/** The place of a row in a range, as one text. */
function cursorOf(table: Table<ObjectLiteral>, scan: IndexScan, last: string): string {
  const place = positionOf(table, scan, table.parse(last));
  return columnsOf(table, scan)
    .map(({ encode }, index) => encodeURIComponent(String(encode(place[index]))))
    .join();
}

/** @throws ApiException 40002 when the cursor is not one of this range. */
function parseCursor(table: Table<ObjectLiteral>, scan: IndexScan, cursor: string): unknown[] {
  const parts = cursor.split(',');
  const values = columnsOf(table, scan).map((column, index) => parsePart(column, parts[index]));
  const { least = values[0], greatest = values[0] } = boundsOf(scan);
  const isInRange = compare(least, values[0]) <= 0 && compare(values[0], greatest) <= 0;
  if (parts.length !== values.length || values.includes(undefined) || !isInRange) throw wrongCursor();
  return values;
}

/** The columns that tell the place of a row in a range. */
function columnsOf(table: Table<ObjectLiteral>, { order, equal = [] }: IndexScan): Column[] {
  return order.slice(equal.length).map((indexed) => columnOf(table, indexed));
}

/** Parses the value of a column; undefined if no value has this text. */
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
