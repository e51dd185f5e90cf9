import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Matches, ValidateBy } from 'class-validator';
import type { ObjectLiteral } from 'typeorm';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { takeTurn } from '../../limits/event-loop.js';
import type { Key } from '../../store/table.js';
import { MayBeAbsent } from '../../validation/decorators.js';
import { DtoValidationPipe } from '../../validation/validation.pipe.js';
import type { Collection, Operation } from '../../resource/collection.js';
import { CONDITION, entityTag, tagsIn } from '../../resource/conditional-requests.js';
import type { Representation } from '../../resource/resource.js';
import { ofOperation } from '../../resource/resource-errors.js';

/** Operations of a batch at most. All other writes wait for its end. */
const MAX_OPERATIONS = 1_000;

/** Strict: without a condition that was misspelt, an operation is another one. */
const operationPipe = new DtoValidationPipe(true);
const bodyPipe = new DtoValidationPipe();

const KINDS = ['create', 'put', 'patch', 'delete'] as const;

/** The DTO of each kind of operation. Its `body` is of the DTO that the body of the single operation has. */
export type OperationDtos = Readonly<Record<Operation['kind'], Type<object>>>;

/** The result of an operation: the status of the single one, and the resource with its `ETag` unless that is deleted. */
export interface OperationResult<Row extends ObjectLiteral> {
  readonly status: number;
  readonly body?: Representation<Row>;
  readonly etag?: string;
}

/** The operations of a batch, which `runBatch` checks one by one. */
export function IsOperations(dtos: OperationDtos): PropertyDecorator {
  const oneOf = Object.values(dtos).map((dto) => ({ $ref: getSchemaPath(dto) }));
  return applyDecorators(
    ApiProperty({ type: 'array', minItems: 1, maxItems: MAX_OPERATIONS, items: { oneOf } }),
    ValidateBy({
      name: 'isOperations',
      validator: {
        validate: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_OPERATIONS,
        defaultMessage: () => `$property must be an array of 1 to ${MAX_OPERATIONS} operations`,
      },
    }),
  );
}

export function IsIfMatch(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      pattern: CONDITION.source,
      description: 'As the header `If-Match`.',
      example: '*',
    }),
    MayBeAbsent(),
    Matches(CONDITION, { message: '$property must be * or a list of entity tags in quotes' }),
  );
}

/**
 * Does all operations of a batch in their order, or none.
 *
 * @throws ApiException what the first operation that is refused would throw alone, with its number in the message.
 */
export async function runBatch<Row extends ObjectLiteral>(
  collection: Collection<Row>,
  dtos: OperationDtos,
  operations: readonly unknown[],
): Promise<OperationResult<Row>[]> {
  const parsed: Operation[] = [];
  for (const [index, operation] of operations.entries()) {
    await takeTurn();
    try {
      parsed.push(await parse(collection, dtos, operation));
    } catch (thrown) {
      throw ofOperation(index, thrown);
    }
  }
  const written = await collection.batch(parsed);
  return written.map(({ before, after }, index) => {
    if (after === undefined) return { status: 204 };
    const isNew = before === undefined && parsed[index]?.kind === 'put';
    return { status: isNew ? 201 : 200, body: after, etag: `"${entityTag(after)}"` };
  });
}

/** Members of an operation, besides its key. */
interface Members extends Record<string, unknown> {
  readonly body: Record<string, unknown>;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: '*';
}

async function parse<Row extends ObjectLiteral>(
  { table }: Collection<Row>,
  dtos: OperationDtos,
  operation: unknown,
): Promise<Operation> {
  const given = Object(operation) as Record<string, unknown>;
  const kind = KINDS.find((name) => name === given['kind']);
  if (kind === undefined)
    throw new ApiException(ErrorValue.InvalidBody, `kind must be one of ${KINDS.join(', ')}.`);
  const metatype = dtos[kind];
  const members = (await operationPipe.transform(given, { type: 'body', metatype })) as Members;
  const bodyType = Reflect.getMetadata('design:type', metatype.prototype as object, 'body') as
    Type<object> | undefined;
  const content = (await bodyPipe.transform(members.body, { type: 'body', metatype: bodyType })) as Members;
  const { ifMatch, ifNoneMatch } = members;
  return {
    kind,
    key: (kind === 'create' ? content : members)[table.key.property] as Key,
    content,
    preconditions: {
      ifMatch: ifMatch === undefined || ifMatch === '*' ? ifMatch : tagsIn(ifMatch),
      mustNotExist: ifNoneMatch === '*',
    },
  };
}
