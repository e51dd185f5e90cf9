import { ApiPropertyOptional } from '@nestjs/swagger';
import type { Response } from 'express';
import { sendJson } from '../../http/body/exact-json.js';
import { EVENT_STREAM, NDJSON } from '../../http/body/media-types.js';
import type { Changes } from './change-feed.js';
import type { ChangeReader } from './followers.js';
import { SEPARATOR } from '../../store/range.js';
import { Json } from '../../store/table.js';
import { parseInt64 } from '../../validation/decorators.js';
import { PageQuery, PAGE_LENGTH, setPageHeaders } from '../../resource/page.js';
import { invalidParameter } from '../../resource/resource-errors.js';
import { sendLines } from '../transfer/answer-transfer.js';

/** The cursor of a change, 0, or how many of the latest changes. */
const PLACE = /^(0|[1-9]\d{0,18}|-[1-9]\d{0,2})$/;

export class ChangesQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      'The cursor of the last change that the client has; 0 for all that are kept; -100 for the latest 100 (at most 999). Without it, the changes from now on.',
    pattern: PLACE.source,
    example: '0',
  })
  override after?: string;
}

/**
 * Answers with the changes behind a cursor, in the form that the client accepts: a page as JSON, all until now as lines, or as
 * server-sent events that go on.
 *
 * @throws ApiException 40002 when the cursor is none, 41000 when its change is not kept.
 */
export async function answerChanges(
  response: Response,
  query: ChangesQuery,
  changes: ChangeReader,
): Promise<void> {
  const { exchange, req } = response;
  const { feed } = changes;
  const place = placeOf(req.get('Last-Event-ID') ?? query.after);
  const after = place !== undefined && place < 0n ? await feed.latest(-Number(place)) : place;
  const form = req.method === 'HEAD' ? false : req.accepts(['application/json', NDJSON, EVENT_STREAM]);
  if (form === EVENT_STREAM) {
    const { socket } = exchange.request;
    // Whoever closes one side of a stream without an end has gone: the next write, up to 15 s later, would tell.
    socket.once('end', () => exchange.hasEnded || socket.destroy());
    const headers = { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' };
    // They begin when the place is known, so what is refused is still an Error.
    await sendLines(exchange, inForm('events', changes.follow(after, exchange.signal)), headers);
    return;
  }
  const start = after ?? (await feed.latest());
  if (form === NDJSON) {
    await sendLines(exchange, inForm('lines', feed.read(start)), { 'Content-Type': NDJSON });
    return;
  }
  let items = '';
  let next = start;
  for await (const { text, last } of feed.read(start, { wanted: query.limit })) {
    items += items === '' || text === '' ? text : SEPARATOR + text;
    next = last;
    if (items.length > PAGE_LENGTH) break;
  }
  // There is always a next page: the changes to come.
  setPageHeaders(response, query, { next: String(next) });
  sendJson(response, 200, new Json(`[${items}]`));
}

async function* inForm(
  form: 'events' | 'lines',
  changes: AsyncIterable<Changes>,
): AsyncGenerator<Buffer | string, void> {
  for await (const some of changes) yield some[form];
}

function placeOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const place = PLACE.test(text) ? parseInt64(text) : undefined;
  if (place === undefined)
    throw invalidParameter('after or Last-Event-ID must be the cursor of a change, 0, or from -999 to -1');
  return place;
}
