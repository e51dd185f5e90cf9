import { Controller, Get, Query, Res, type Type, UseGuards } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  ApiExtraModels,
  ApiHeader,
  ApiProperty,
  ApiPropertyOptional,
  ApiSchema,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { ObjectLiteral } from 'typeorm';
import { Caller, RequireScope } from '../../auth/access.decorators.js';
import type { Principal } from '../../auth/principal.js';
import { ErrorValue } from '../../errors/error-value.js';
import { Json, sendJson } from '../../http/body/exact-json.js';
import { contentType, EVENT_STREAM, NDJSON } from '../../http/body/media-types.js';
import { sendLines } from '../../http/body/send-lines.js';
import { TokenWatchGuard } from '../../http/pipeline/token-watch.guard.js';
import { Endpoint } from '../../openapi/endpoint.decorator.js';
import type { Collection } from '../../resource/collection.js';
import { PAGE_LENGTH, PageQuery, setPageHeaders } from '../../resource/page.js';
import { namesOf, type Resource } from '../../resource/resource.js';
import { scopesOf, visibleTo } from '../../resource/resource-access.js';
import { nextPageHeaders } from '../../resource/resource.decorators.js';
import { invalidParameter } from '../../resource/resource-errors.js';
import { InjectCollection } from '../../resource/resource.module.js';
import { SEPARATOR } from '../../store/index-scan.js';
import { parseInt64 } from '../../validation/decorators.js';
import type { ChangeTexts } from './change-feed.js';
import { changeNotKept } from './change-not-kept.js';
import { ChangeFeeds, type ChangeReader } from './live-feed.js';

const TEXT = { type: 'string' } as const;

/** The cursor of a change, 0, or how many of the latest changes. */
const START = /^(0|[1-9]\d{0,18}|-[1-9]\d{0,2})$/;

class ChangesQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      'The cursor of the last change that the client has; 0 for all that are kept; -100 for the latest 100 (at most 999). Without it, the changes from now on.',
    pattern: START.source,
    example: '0',
  })
  override after?: string;
}

/** Marks the controller of the changes of a resource. */
export const HasChanges = DiscoveryService.createDecorator<Resource<ObjectLiteral>>();

/** Makes the controller of `GET /plants/changes` for a resource. Its changes are kept then. */
export function changesOf<Row extends ObjectLiteral>(resource: Resource<Row>): Type<unknown> {
  const { name, noun, Noun } = namesOf(resource);
  const ChangeDto = changeDto(noun, resource.dto);
  const change = { $ref: getSchemaPath(ChangeDto) };

  @ApiTags(name)
  @Controller(name)
  @HasChanges(resource)
  class ChangesController {
    constructor(
      @InjectCollection(resource.entity) private readonly collection: Collection<Row>,
      private readonly feeds: ChangeFeeds,
    ) {}

    @Get('changes')
    @RequireScope(...scopesOf(resource, 'read'))
    @UseGuards(TokenWatchGuard)
    @ApiExtraModels(ChangeDto)
    @ApiHeader({
      name: 'Last-Event-ID',
      description: 'The `id` of the last event that the client has got; it goes before `after`.',
      schema: { ...TEXT, pattern: String.raw`^(0|[1-9]\d{0,18})$` },
    })
    @Endpoint({
      id: `list${Noun}Changes`,
      summary: 'Read or follow what has changed',
      description:
        'Returns the changes after a cursor in their order: a page of them, all as lines, or as server-sent events that go on. Changes nothing.',
      returns: {
        description:
          'The changes. An event is called `change`; its `id` is the cursor. The schema of NDJSON is the one of each line, ' +
          'and the schema of events the one of `data`.',
        headers: nextPageHeaders('always there, and only with JSON'),
        content: {
          'application/json': { schema: { type: 'array', items: change } },
          [NDJSON]: { schema: change },
          [EVENT_STREAM]: { schema: change },
        },
      },
      errors: [ErrorValue.InvalidParameter, changeNotKept()],
    })
    async changes(
      @Query() query: ChangesQuery,
      @Res() response: Response,
      @Caller() caller: Principal,
    ): Promise<void> {
      await answer(response, query, this.feeds.readerOf(visibleTo(caller, this.collection, 'read')));
    }
  }
  return ChangesController;
}

/** The name of the schema of a change of a resource. */
export function changeSchema(noun: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1).toLowerCase()}Change`;
}

/** The DTO of the changes of a resource. */
function changeDto(noun: string, dto: Type<object>): Type<object> {
  @ApiSchema({ name: changeSchema(noun), description: `A change of a ${noun}.` })
  class ChangeDto {
    @ApiProperty({ type: 'integer', format: 'int64', description: 'Its place in the order of changes.' })
    readonly cursor: bigint;

    @ApiProperty({ description: 'When it was made.' })
    readonly at: Date;

    @ApiProperty({ enum: ['created', 'changed', 'deleted'] })
    readonly kind: string;
  }
  const description = `The ${noun} as it is after the change, or before a deletion.`;
  ApiProperty({ type: dto, description })(ChangeDto.prototype, noun);
  return ChangeDto;
}

/**
 * Sends the changes after a cursor, in the form that the client accepts: a page as JSON, all until now as lines, or as
 * server-sent events that go on.
 *
 * @throws ApiException 40002 when the cursor is not valid, 41000 when its change is not kept.
 */
async function answer(response: Response, query: ChangesQuery, changes: ChangeReader): Promise<void> {
  const { exchange, req } = response;
  const { feed } = changes;
  const place = cursorOf(req.get('Last-Event-ID') ?? query.after);
  const after = place !== undefined && place < 0n ? await feed.latest(-Number(place)) : place;
  const form = req.method === 'HEAD' ? false : req.accepts(['application/json', NDJSON, EVENT_STREAM]);
  if (form === EVENT_STREAM) {
    const { socket } = exchange.request;
    // A client that closes its side has gone. The next write, up to 15 s later, would be the first to notice.
    socket.once('end', () => exchange.hasEnded || socket.destroy());
    const headers = { 'Content-Type': contentType(EVENT_STREAM), 'X-Accel-Buffering': 'no' };
    // The response begins when the cursor has been checked, so that a refusal is still an Error.
    await sendLines(exchange, inForm('events', changes.follow(after, exchange.signal)), headers);
    return;
  }
  const start = after ?? (await feed.latest());
  if (form === NDJSON) {
    await sendLines(exchange, inForm('lines', feed.read(start)), { 'Content-Type': contentType(NDJSON) });
    return;
  }
  let items = '';
  let next = start;
  for await (const some of feed.read(start, { wanted: query.limit })) {
    const { text, last } = some.inForm;
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
  changes: AsyncIterable<ChangeTexts>,
): AsyncGenerator<Buffer | string, void> {
  for await (const some of changes) yield some.inForm[form];
}

function cursorOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const place = START.test(text) ? parseInt64(text) : undefined;
  if (place === undefined)
    throw invalidParameter('after or Last-Event-ID must be the cursor of a change, 0, or from -999 to -1');
  return place;
}
