import { Logger, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { ObjectLiteral } from 'typeorm';
import { ApiException, logException } from '../../kernel/errors/api.exception.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { parseJsonObject } from '../../kernel/http/body/exact-json.js';
import { MAX_BODY_BYTES } from '../../kernel/http/body/read-body.js';
import { toApiException } from '../../kernel/http/pipeline/error.filter.js';
import { takeTurn } from '../../kernel/database/event-loop.js';
import { MAX_BATCH } from '../../kernel/store/group-commit.js';
import { SEPARATOR } from '../../kernel/store/scans/index-scan.js';
import { prefersStrict } from '../../kernel/logging/request-context.js';
import { DtoValidationPipe } from '../../kernel/validation/validation.pipe.js';
import type { Collection } from '../../kernel/resource/collection.js';
import type { Representation } from '../../kernel/resource/resource.js';

const NEWLINE = 0x0a;

/** Lines that are split before others get their turn. */
const TURN = 256n;

/** The byte order mark with which some tools begin a text in UTF-8. */
const MARK = Buffer.from('\uFEFF');

const logger = new Logger('Transfers');

const validation = new DtoValidationPipe(prefersStrict);

/** The result of one line of an import. */
@ApiSchema({ name: 'ImportResult', description: 'The result of one line of an import.' })
export class ImportResultDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    description: 'The number of the line, from 1; empty lines count.',
    example: 1,
  })
  readonly line: bigint;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      '200 if the line is stored and on disk, or if the store already had exactly this; otherwise the HTTP status of the Error.',
    example: 409,
  })
  readonly status: number;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    description: 'The value of the Error; absent with 200.',
    example: 40900,
  })
  readonly error?: number;

  @ApiPropertyOptional({
    description: 'One sentence for a person; absent with 200.',
    example: 'id 1 belongs to another plant.',
  })
  readonly message?: string;
}

/** A line of a text, without its end. */
interface Line {
  /** Its place in the text, from 1. */
  readonly number: bigint;
  /** undefined when the line is longer than allowed. */
  readonly content: Buffer | undefined;
}

/**
 * Creates a resource from each line, some at a time. A refused line does not affect the others. A line whose resource already
 * exists, exactly like this, counts as stored, so an import may be repeated.
 *
 * @param dto the DTO of a line.
 */
export async function* importLines<Row extends ObjectLiteral>(
  collection: Collection<Row>,
  chunks: AsyncIterable<Buffer>,
  dto: Type<object>,
): AsyncGenerator<ImportResultDto[]> {
  for await (const lines of linesOf(chunks)) {
    const failures = new Map<unknown, ApiException>();
    const importLine = async (
      parsed: Promise<Representation<Row>>,
      line: bigint,
    ): Promise<ImportResultDto> => {
      try {
        await collection.create(await parsed, { mayExist: true });
        return { line, status: 200 };
      } catch (thrown) {
        const exception = toApiException(thrown);
        const { error, message, cause } = exception;
        failures.set(cause, exception);
        return { line, status: exception.getStatus(), error, message };
      }
    };
    // Lines are checked one by one, and written together.
    const checked: (() => Promise<ImportResultDto>)[] = [];
    for (const line of lines) {
      await takeTurn();
      const parsed = parseLine<Row>(dto, line.content);
      parsed.catch(() => undefined);
      checked.push(() => importLine(parsed, line.number));
    }
    yield await Promise.all(checked.map((store) => store()));
    // Lines that fail together share one cause, which is logged once.
    for (const exception of failures.values()) logException(logger, exception);
  }
}

/** The lines of all resources as they are when the first ones are read, several in one text. */
export async function* exportLines<Row extends ObjectLiteral>(
  collection: Collection<Row>,
): AsyncGenerator<string, void> {
  for await (const { text } of collection.all()) yield `${text.replaceAll(SEPARATOR, '\n')}\n`;
}

/**
 * Splits bytes into lines, and yields those that have arrived, some at a time. Empty lines count, but are left out.
 *
 * Lines stay bytes: a decoder would replace invalid UTF-8, which must be refused.
 */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 0n;
  let begun: Buffer = Buffer.alloc(0);
  let lines: Line[] = [];
  const end = (bytes: Buffer) => {
    number += 1n;
    const content =
      number === 1n && bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
    if (content.length > 0)
      lines.push({ number, content: content.length > MAX_BODY_BYTES ? undefined : content });
  };
  for await (const chunk of chunks) {
    const bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    let start = 0;
    for (let stop = bytes.indexOf(NEWLINE, begun.length); stop !== -1; stop = bytes.indexOf(NEWLINE, start)) {
      end(bytes.subarray(start, stop));
      // Also for empty lines, of which a part of the body may have 65,536.
      if (number % TURN === 0n) await takeTurn();
      start = stop + 1;
      if (lines.length === MAX_BATCH) {
        yield lines;
        lines = [];
      }
    }
    // One byte more than the limit tells that the line is too long.
    begun = bytes.subarray(start, start + MAX_BODY_BYTES + 1);
    if (lines.length > 0) yield lines;
    lines = [];
  }
  end(begun);
  if (lines.length > 0) yield lines;
}

/** The resource of a line, under the same rules as the body of a create: 41300, 40000 or 40001 when it breaks them. */
async function parseLine<Row extends ObjectLiteral>(
  metatype: Type<object>,
  content: Line['content'],
): Promise<Representation<Row>> {
  if (content === undefined) throw new ApiException(ErrorValue.BodyTooLarge, 'The line is too long.');
  const fields = parseJsonObject(content, 'The line') as Record<string, unknown>;
  const transformed: unknown = await validation.transform(fields, { type: 'body', metatype });
  return transformed as Representation<Row>;
}
