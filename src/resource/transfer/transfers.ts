import { Injectable, Logger } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import { Settings } from '../../config/settings.js';
import { MAX_BODY_BYTES } from '../../http/body/read-body.js';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { logException } from '../../errors/log-exception.js';
import { parseJsonObject } from '../../http/body/exact-json.js';
import { toApiException } from '../../http/pipeline/error.filter.js';
import { MAX_BATCH } from '../../store/group-commit.js';
import { Snapshots } from '../../store/snapshots.js';
import type { Key } from '../../store/table.js';
import { DtoValidationPipe } from '../../validation/validation.pipe.js';
import type { Collection } from '../collection.js';
import type { Representation } from '../representation.js';
import { lineDto } from '../resource.js';
import type { ImportResultDto } from './import-result.dto.js';
import { type Line, linesOf } from './lines.js';
import { ownTurn } from './own-turn.js';

/** Characters from which on lines of an export are sent. */
const TEXT_LENGTH = 65_536;

const validation = new DtoValidationPipe('The line');

export interface ImportOptions {
  /** The number of the first line that is imported; what comes before it is skipped. */
  readonly firstLine?: number;
}

/** Moves many resources in and out, as lines of NDJSON, in bounded memory. */
@Injectable()
export class Transfers {
  private readonly logger = new Logger(Transfers.name);
  /** Lines of one import that are written at a time: more would fill the queue that it shares with everyone. */
  private readonly batchLength: number;

  constructor(
    private readonly snapshots: Snapshots,
    settings: Settings,
  ) {
    this.batchLength = Math.min(MAX_BATCH, settings.writeQueueLimit);
  }

  /**
   * Creates what lines describe, some at a time; one that is there already, exactly like this, is fine: an import may be
   * repeated. A line that is refused leaves the others alone.
   */
  async *import<Row extends ObjectLiteral>(
    collection: Collection<Row>,
    chunks: AsyncIterable<Buffer>,
    { firstLine = 1 }: ImportOptions = {},
  ): AsyncGenerator<ImportResultDto[]> {
    const options = { limit: MAX_BODY_BYTES, together: this.batchLength };
    for await (const lines of linesOf(chunks, options)) {
      // To check some hundred lines takes milliseconds, if they are wrong.
      await ownTurn();
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
      for (const { text: line } of found) {
        text += `${line}\n`;
        if (text.length < TEXT_LENGTH) continue;
        yield text;
        text = '';
      }
    }
    if (text !== '') yield text;
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
