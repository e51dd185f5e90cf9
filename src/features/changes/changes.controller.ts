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
import { IsIn } from 'class-validator';
import { Caller, RequireScope } from '../../kernel/auth/access.decorators.js';
import { insufficientScope } from '../../kernel/auth/challenge.js';
import { ADMIN, type Principal, TOKENS_READ } from '../../kernel/auth/principal.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { Json } from '../../kernel/http/body/exact-json.js';
import { EVENT_STREAM, NDJSON } from '../../kernel/http/body/media-types.js';
import { exchangeOf, sendJson } from '../../kernel/http/connection/exchange.js';
import { sendLines } from '../../kernel/http/body/send-lines.js';
import { TokenWatchGuard } from '../../kernel/http/pipeline/token-watch.guard.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';
import type { Collection } from '../../kernel/resource/collection.js';
import { PageQuery, setPageHeaders } from '../../kernel/resource/page.js';
import { PAGE_LENGTH } from '../../kernel/store/rows.js';
import { Int64Pipe } from '../../kernel/resource/key.pipes.js';
import { type Field, fieldsOf, namesOf, redocument, type Resource } from '../../kernel/resource/resource.js';
import { scopesOf, visibleTo } from '../../kernel/resource/resource-access.js';
import { MADE_ID, nextPageHeaders } from '../../kernel/resource/resource.decorators.js';
import { invalidParameter } from '../../kernel/resource/resource-errors.js';
import { InjectCollection } from '../../kernel/resource/resource.module.js';
import { SEPARATOR } from '../../kernel/store/scans/index-scan.js';
import type { Table } from '../../kernel/store/table.js';
import {
  IsStorableText,
  IsTimestamp,
  MAX_TEXT,
  MayBeAbsent,
  parseInt64,
} from '../../kernel/validation/decorators.js';
import { catchUp } from './catch-up.js';
import { type ChangeFilter, changeNotKept, type Changes, KIND, KINDS } from './change-feed.js';
import { ChangeFeeds, type LiveFeed } from './live-feed.js';

const TEXT = { type: 'string' } as const;

/** The header that tells a filtered page at the end from one before it: both have a `Link`. */
const CAUGHT_UP = 'X-Caught-Up';

/** The cursor of a change, 0, or `-n` for the latest n changes. */
const START = /^(0|[1-9]\d{0,18}|-[1-9]\d{0,2})$/;

/** The maximum number of changes that a page with a filter reads: no index supports the filters. */
const MOST_READ = 10_000;

class ChangesQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      'The cursor of the last change that the client has; 0 for all that are kept; -100 for the latest 100 (at most 999). Without it, the changes from now on.',
    pattern: START.source,
    example: '0',
  })
  override after?: string;

  @ApiPropertyOptional({
    description: 'Only the changes since this time; ignored if the request has a cursor.',
    example: '2026-03-01T00:00:00Z',
  })
  @MayBeAbsent()
  @IsTimestamp()
  since?: Date;

  @ApiPropertyOptional({ enum: [...KINDS], description: 'Only the changes of this kind.' })
  @MayBeAbsent()
  @IsIn(KINDS)
  kind?: string;

  @ApiPropertyOptional({
    description:
      'Only what this caller has changed: the id of an access token, or `oidc:` and a subject. Requires `admin` or `tokens:read`, except for the own id.',
    example: MADE_ID,
  })
  @MayBeAbsent()
  @IsStorableText(MAX_TEXT)
  by?: string;
}

/** Marks the controller of the changes of a resource. */
export const HasChanges = DiscoveryService.createDecorator<Resource<ObjectLiteral>>();

/** Makes the controller of `GET /plants/changes` for a resource, and so makes the service keep its changes. */
export function changesOf<Row extends ObjectLiteral>(resource: Resource<Row>): Type<unknown> {
  const { name, noun, Noun, key } = namesOf(resource);
  const ChangeDto = changeDto(resource);
  const change = { $ref: getSchemaPath(ChangeDto) };

  class KeyedQuery extends ChangesQuery {
    @MayBeAbsent()
    @IsStorableText(MAX_TEXT)
    id?: string;
  }
  const { documented } = fieldsOf(resource.dto).find((field) => field.name === key) as Field;
  const ofKey = `Only the changes of the ${noun} with this ${key}.`;
  redocument(KeyedQuery, 'id', { ...documented, required: false, description: ofKey });

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
      description: 'The `id` of the last event that the client has received; it overrides `after`.',
      schema: { ...TEXT, pattern: String.raw`^(0|[1-9]\d{0,18})$` },
    })
    @Endpoint({
      id: `list${Noun}Changes`,
      summary: 'Read or follow what has changed',
      description:
        'Returns the changes after a cursor, in order: a page of them, all of them as lines, or a live stream of server-sent events. ' +
        `A page with a filter reads at most ${MOST_READ} changes: it may be empty before the end, which \`X-Caught-Up\` tells. Changes nothing.`,
      returns: {
        description:
          'The changes. An event is called `change`; its `id` is the cursor. The schema of NDJSON describes one line, ' +
          'and the schema of events describes `data`.',
        headers: {
          ...nextPageHeaders('always present with JSON, otherwise absent'),
          [CAUGHT_UP]: {
            description:
              'Whether a page with a filter has read all changes there are; otherwise follow `Link`.',
            schema: { ...TEXT, enum: ['true', 'false'] },
          },
        },
        content: {
          'application/json': { schema: { type: 'array', items: change } },
          [NDJSON]: { schema: change },
          [EVENT_STREAM]: { schema: change },
        },
      },
      errors: [ErrorValue.InvalidParameter, changeNotKept()],
    })
    async changes(
      @Query() query: KeyedQuery,
      @Res() response: Response,
      @Caller() caller: Principal,
    ): Promise<void> {
      const { table } = this.collection;
      const seesAll = [ADMIN, TOKENS_READ].some((scope) => caller.scopes.includes(scope));
      if (query.by !== undefined && query.by !== caller.id && !seesAll)
        throw insufficientScope([TOKENS_READ], caller.scopes, ' for the parameter by');
      if (query.id !== undefined && table.key.type === 'BIGINT')
        new Int64Pipe().transform(query.id, { type: 'query', data: 'id' });
      const live = this.feeds.of(table);
      const isVisible = visibleChanges(visibleTo(caller, this.collection));
      const isWanted = filterOf(query, table);
      const show = (all: Changes) => {
        const some = all.only(isVisible).only(isWanted);
        return seesAll ? some.signed : some.signedFor(caller.id);
      };
      await answer(response, query, live, show, isWanted !== undefined);
    }
  }
  return ChangesController;
}

/** The DTO of the changes of a resource. */
function changeDto(resource: Resource<ObjectLiteral>): Type<object> {
  const { noun, Noun } = namesOf(resource);

  @ApiSchema({ name: `${Noun}Change`, description: `A change of a ${noun}.` })
  class ChangeDto {
    @ApiProperty({ type: 'integer', format: 'int64', description: 'Its place in the order of changes.' })
    readonly cursor: bigint;

    @ApiProperty({ description: 'When the change was made.' })
    readonly at: Date;

    @ApiProperty({ enum: [...KINDS] })
    readonly kind: string;

    @ApiPropertyOptional({
      description:
        'Who made it: the id of an access token, or `oidc:` and a subject. Absent if unknown, and for changes of others if the caller has neither `admin` nor `tokens:read`.',
      example: MADE_ID,
    })
    readonly by?: string;
  }
  const description = `The ${noun} as it is after the change, or before a deletion.`;
  ApiProperty({ type: resource.dto, description })(ChangeDto.prototype, noun);
  return ChangeDto;
}

/** Which changes somebody wants. */
export interface ChangesFilter {
  readonly id?: string;
  readonly kind?: string;
  readonly by?: string;
}

/** The filter of a query; undefined if it wants all changes. */
export function filterOf(
  { id, kind, by }: ChangesFilter,
  table: Table<ObjectLiteral>,
): ChangeFilter | undefined {
  const { noun, key } = table;
  // Spares most changes from being parsed, which takes much longer.
  const mayBeOfKey = (change: string) => key.type !== 'BIGINT' || change.includes(`:${id}`);
  const isOfKey = (change: string) =>
    mayBeOfKey(change) && String((table.parse(change)[noun] as ObjectLiteral)[key.property]) === id;
  if (id === undefined && kind === undefined && by === undefined) return undefined;
  return ({ json, by: writer }) =>
    (by === undefined || by === writer) &&
    (kind === undefined || KIND.exec(json)?.[1] === kind) &&
    (id === undefined || isOfKey(json));
}

/**
 * The filter for the rows that a collection shows; undefined if it shows all.
 *
 * @throws ApiException 41000 when changes lack a hidden column that decides what the caller may see.
 */
function visibleChanges<Row extends ObjectLiteral>({
  table,
  visible,
}: Collection<Row>): ChangeFilter | undefined {
  const columns = Object.keys(visible).map((property) => table.column(property));
  if (columns.some(({ isHidden }) => isHidden)) throw changeNotKept();
  if (columns.length === 0) return undefined;
  return ({ json }) => {
    const content = table.parse(json)[table.noun] as ObjectLiteral;
    return columns.every(
      ({ property, encode, decode }) =>
        encode(decode(content[property] ?? null)) === encode(visible[property]),
    );
  };
}

/**
 * Sends the changes after a cursor, in the form that the client accepts: a page as JSON, all until now as lines, or a live stream
 * of server-sent events.
 *
 * @param show what the client sees of changes.
 * @throws ApiException 40002 when the cursor is not valid, 41000 when its change is not kept.
 */
async function answer(
  response: Response,
  { since, ...query }: ChangesQuery,
  live: LiveFeed,
  show: (some: Changes) => Changes,
  isFiltered: boolean,
): Promise<void> {
  const { feed } = live;
  const { req } = response;
  const exchange = exchangeOf(response);
  const as = async function* (form: 'events' | 'lines', changes: AsyncIterable<Changes>) {
    for await (const some of changes) yield show(some)[form];
  };
  const place = cursorOf(req.get('Last-Event-ID') ?? query.after);
  const begin = () => (since === undefined ? undefined : feed.before(since));
  const after =
    place !== undefined && place < 0n ? await feed.latest(-Number(place)) : (place ?? (await begin()));
  const form = req.method === 'HEAD' ? false : req.accepts(['application/json', NDJSON, EVENT_STREAM]);
  if (form === EVENT_STREAM) {
    const { socket } = exchange.request;
    // A client that closes its side has gone. The next write, up to 15 s later, would be the first to notice.
    socket.once('end', () => exchange.hasEnded || socket.destroy());
    const headers = { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' };
    // The response begins when the cursor has been checked, so that a refusal is still an Error.
    await sendLines(response, as('events', live.follow(after, exchange.signal)), headers);
    return;
  }
  const start = after ?? (await feed.latest());
  if (form === NDJSON) {
    const changes = catchUp((from) => feed.read(from), start);
    await sendLines(response, as('lines', changes), { 'Content-Type': NDJSON });
    return;
  }
  const items: string[] = [];
  let length = 0;
  let next = start;
  for await (const some of feed.read(start, { wanted: isFiltered ? MOST_READ : query.limit })) {
    const { all, last } = show(some).first(query.limit - items.length);
    for (const { json } of all) {
      items.push(json);
      length += json.length;
    }
    next = last;
    if (items.length === query.limit || length > PAGE_LENGTH) break;
  }
  // There is always a next page: the changes to come.
  setPageHeaders(response, query, { next: String(next) });
  if (isFiltered) response.setHeader(CAUGHT_UP, String(next >= (await feed.latest())));
  sendJson(response, 200, new Json(`[${items.join(SEPARATOR)}]`));
}

function cursorOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const place = START.test(text) ? parseInt64(text) : undefined;
  if (place === undefined)
    throw invalidParameter('after or Last-Event-ID must be the cursor of a change, 0, or from -999 to -1');
  return place;
}
