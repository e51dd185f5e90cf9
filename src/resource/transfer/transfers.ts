import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { ObjectLiteral } from 'typeorm';
import { Settings } from '../../config/settings.js';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { logException } from '../../errors/log-exception.js';
import type { Exchange } from '../../http/connection/exchange.js';
import { stringifyExactJson } from '../../http/body/exact-json.js';
import { parseJsonObject } from '../../http/body/json-object.js';
import { NDJSON } from '../../http/body/media-types.js';
import { assertMediaType, streamBody } from '../../http/body/read-body.js';
import { toApiException } from '../../http/pipeline/to-api-exception.js';
import { MAX_BATCH } from '../../store/group-commit.js';
import { Snapshots } from '../../store/snapshots.js';
import type { Key } from '../../store/table.js';
import { DtoValidationPipe } from '../../validation/validation.pipe.js';
import type { Collection } from '../collection.js';
import type { Representation } from '../representation.js';
import { lineDto } from '../resource.js';
import type { ImportResultDto } from './import-result.dto.js';
import { type Line, linesOf } from './lines.js';
import { sendLines } from './send-lines.js';

/** Bytes that an import holds besides a long line: the part of the body that it works on, and the answers to that. */
const IMPORT_BYTES = 65_536;

/** Bytes that an export holds: what it has read and not sent yet. */
const EXPORT_BYTES = 1_048_576;

/** Characters from which on lines of an export are sent. */
const TEXT_LENGTH = 65_536;

const validation = new DtoValidationPipe('The line');

/** Moves many resources in and out, as lines of NDJSON, in bounded memory. */
@Injectable()
export class Transfers {
  private readonly logger = new Logger(Transfers.name);
  /** Lines of one import that are written at a time: more would fill the queue that it shares with everyone. */
  private readonly batchLength: number;

  constructor(
    private readonly snapshots: Snapshots,
    private readonly settings: Settings,
  ) {
    this.batchLength = Math.min(MAX_BATCH, settings.writeQueueLimit);
  }

  /**
   * Creates what the lines of a request describe, and answers an ImportResult for each, in order.
   *
   * @throws ApiException 41500, and 50300 when it takes more memory than there is.
   */
  async receive<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    { exchange }: Response,
  ): Promise<void> {
    assertMediaType(exchange.request, [NDJSON]);
    await sendLines(exchange, this.importResults(collection, exchange), { 'Content-Type': NDJSON });
  }

  /**
   * Answers every resource, one a line, by ascending key, as the store is when the first ones are read.
   *
   * @throws ApiException 50300 when too many exports and counts are running.
   */
  async send<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    { exchange }: Response,
    file: string,
  ): Promise<void> {
    const headers = { 'Content-Type': NDJSON, 'Content-Disposition': `attachment; filename="${file}"` };
    if (exchange.request.method === 'HEAD') exchange.response.writeHead(200, headers).end();
    else await sendLines(exchange, this.exportTo(collection, exchange), headers);
  }

  /**
   * Creates what lines describe, some at a time; one that is there already, exactly like this, is fine: an import may be
   * repeated. A line that is refused leaves the others alone.
   */
  async *import<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    chunks: AsyncIterable<Buffer>,
    { firstLine = 1, onHold }: { firstLine?: number; onHold?: (bytes: number) => void } = {},
  ): AsyncGenerator<ImportResultDto[]> {
    const options = { limit: this.settings.bodyLimit, together: this.batchLength, ...(onHold && { onHold }) };
    for await (const lines of linesOf(chunks, options)) {
      const failures = new Map<unknown, ApiException>();
      yield await Promise.all(
        lines
          .filter(({ number }) => number >= firstLine)
          .map(async (line): Promise<ImportResultDto> => {
            try {
              await collection.createUnlessThere(await parseLine(collection, line));
              return { line: line.number, status: 200 };
            } catch (thrown) {
              const exception = toApiException(thrown);
              const { error, message, cause } = exception;
              failures.set(cause, exception);
              return { line: line.number, status: exception.getStatus(), error, message };
            }
          }),
      );
      // Lines that fail together have one cause.
      for (const exception of failures.values()) logException(this.logger, exception);
    }
  }

  /** The lines of all resources as they are when the first ones are read, several in one text. */
  async *export<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    after?: Key,
  ): AsyncGenerator<string, void> {
    let text = '';
    for await (const found of this.snapshots.read((queries) => collection.all(queries, after))) {
      for (const representation of found) {
        text += `${stringifyExactJson(representation)}\n`;
        if (text.length < TEXT_LENGTH) continue;
        yield text;
        text = '';
      }
    }
    if (text !== '') yield text;
  }

  private async *importResults<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    exchange: Exchange,
  ): AsyncGenerator<string, void> {
    exchange.hold(IMPORT_BYTES);
    const onHold = (bytes: number) => exchange.hold(bytes);
    for await (const results of this.import(collection, streamBody(exchange), { onHold })) {
      yield results.map((result) => `${JSON.stringify(result)}\n`).join('');
    }
  }

  private async *exportTo<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    exchange: Exchange,
  ): AsyncGenerator<string, void> {
    exchange.hold(EXPORT_BYTES);
    yield* this.export(collection);
  }
}

/** The resource of a line, under the same rules as the body of a create: 41300, 40000 or 40001 when it is none. */
async function parseLine<Row extends ObjectLiteral>(
  { resource }: Collection<Row>,
  { content }: Line,
): Promise<Representation<Row>> {
  if (content === undefined) throw new ApiException(ErrorValue.BodyTooLarge, 'The line is too long.');
  const members = parseJsonObject(content, 'The line') as Record<string, unknown>;
  return (await validation.transform(members, {
    type: 'body',
    metatype: lineDto(resource),
  })) as Representation<Row>;
}
