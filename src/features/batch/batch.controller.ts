import { applyDecorators, Body, Controller, Post, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiSchema,
  ApiTags,
  getSchemaPath,
  PickType,
} from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsObject, Matches } from 'class-validator';
import type { ObjectLiteral } from 'typeorm';
import { Caller, RequireScope } from '../../kernel/auth/access.decorators.js';
import type { Principal } from '../../kernel/auth/principal.js';
import { ApiException } from '../../kernel/errors/api.exception.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { takeTurn } from '../../kernel/database/event-loop.js';
import { Json } from '../../kernel/http/body/exact-json.js';
import { prefersStrict } from '../../kernel/logging/request-context.js';
import { BODY_ERRORS } from '../../kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';
import type { Collection, Operation } from '../../kernel/resource/collection.js';
import { CONDITION, entityTagOf, tagsIn } from '../../kernel/resource/conditional-requests.js';
import { examplesOf, fieldsOf, namesOf, type Resource } from '../../kernel/resource/resource.js';
import { scopesOf, visibleTo } from '../../kernel/resource/resource-access.js';
import {
  idTaken,
  ofOperation,
  preconditionFailed,
  unknownResource,
} from '../../kernel/resource/resource-errors.js';
import { InjectCollection } from '../../kernel/resource/resource.module.js';
import type { Key } from '../../kernel/store/table.js';
import { MayBeAbsent } from '../../kernel/validation/decorators.js';
import { DtoValidationPipe } from '../../kernel/validation/validation.pipe.js';

/** The maximum number of operations. All other writes wait for the end of a batch. */
const MAX_OPERATIONS = 1_000;

const OPERATIONS_RULE = { message: `$property must be an array of 1 to ${MAX_OPERATIONS} operations` };

/** Strict: ignoring a misspelt condition would make an operation unconditional. */
const operationPipe = new DtoValidationPipe(() => true);
const bodyPipe = new DtoValidationPipe(prefersStrict);

/** The DTOs of one kind of operation: of the operation itself and of its `body`. */
interface OperationDtos {
  readonly dto: Type<object>;
  readonly body: Type<object> | undefined;
}

type Kinds = ReadonlyMap<unknown, OperationDtos>;

/** Makes the controller of `POST /plants/batch` for a resource. */
export function batchOf<Row extends ObjectLiteral>(resource: Resource<Row>): Type<unknown> {
  const { dto } = resource;
  const { name, Name, noun, Noun, key } = namesOf(resource);
  const kinds = kindsOf(resource);
  const dtos = Array.from(kinds.values(), (kind) => kind.dto);
  const id = examplesOf(resource)[0]?.[key] as Key;

  @ApiSchema({ name: `${Noun}Batch`, description: 'Operations that succeed or fail together.' })
  @ApiExtraModels(...dtos)
  class BatchDto {
    @ApiProperty({
      type: 'array',
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      items: { oneOf: dtos.map((of) => ({ $ref: getSchemaPath(of) })) },
      description:
        'Each sees the effects of the previous ones. Members that its `kind` does not have are refused.',
      example: exampleOf(resource),
    })
    @IsArray(OPERATIONS_RULE)
    @ArrayNotEmpty(OPERATIONS_RULE)
    @ArrayMaxSize(MAX_OPERATIONS, OPERATIONS_RULE)
    readonly operations: readonly unknown[];
  }

  @ApiSchema({ name: `${Noun}Result`, description: 'The result of one operation of a batch.' })
  class ResultDto {
    @ApiProperty({
      type: 'integer',
      format: 'int32',
      description: 'The HTTP status that the operation would have alone.',
      example: 200,
    })
    readonly status: number;

    @ApiPropertyOptional({ type: dto, description: `The ${noun}; absent when it is deleted.` })
    readonly body?: object;

    @ApiPropertyOptional({
      description: `The entity tag of the ${noun}; absent when it is deleted.`,
      example: '"0"',
    })
    readonly etag?: string;
  }

  @ApiSchema({ name: `${Noun}BatchResult`, description: 'The results of a batch.' })
  class BatchResultDto {
    @ApiProperty({ type: [ResultDto], description: 'One for each operation, in the same order.' })
    readonly results: ResultDto[];
  }

  @ApiTags(name)
  @Controller(name)
  class BatchController {
    constructor(@InjectCollection(resource.entity) private readonly collection: Collection<Row>) {}

    /** Requires `read` too, because a patch also returns the fields that it leaves alone. */
    @Post('batch')
    @RequireScope(...scopesOf(resource, 'read', 'write'))
    @Endpoint({
      id: `batch${Name}`,
      summary: `Change many ${name}, all or none`,
      description:
        'Runs all operations in order, each on the result of the previous ones, and returns one result each. If one is refused, ' +
        'nothing is stored, and the Error is what that operation alone would get, with its number in the message.',
      returns: { type: BatchResultDto, description: 'All operations are done and on disk.' },
      errors: [...BODY_ERRORS, unknownResource(noun, id, key), idTaken(noun, id, key), preconditionFailed()],
    })
    async batch(
      @Body() { operations }: BatchDto,
      @Caller() caller: Principal,
    ): Promise<Json<BatchResultDto>> {
      const collection = visibleTo(caller, this.collection);
      const results = await runBatch(collection, kinds, operations);
      return new Json(`{"results":[${results.join()}]}`);
    }
  }
  return BatchController;
}

/** Makes the DTOs of the operations on a resource. */
function kindsOf(resource: Resource<ObjectLiteral>): Kinds {
  const { dto, newDto, lineDto = newDto, putDto, patchDto } = resource;
  const { name, Noun, key } = namesOf(resource);

  class KeyedDto extends PickType(dto as Type<ObjectLiteral>, [key]) {
    @ApiPropertyOptional({
      pattern: CONDITION.source,
      description: 'As the header `If-Match`.',
      example: '*',
    })
    @MayBeAbsent()
    @Matches(CONDITION, { message: '$property must be * or a list of entity tags in quotes' })
    readonly ifMatch?: string;
  }

  class PutDto extends KeyedDto {
    @ApiPropertyOptional({ enum: ['*'], description: 'As the header `If-None-Match`.' })
    @MayBeAbsent()
    @IsIn(['*'])
    readonly ifNoneMatch?: string;
  }

  const make = (kind: Operation['kind'], Members: Type<object>, description: string, body?: Type<object>) => {
    @ApiSchema({ name: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${Noun}`, description })
    class OperationDto extends Members {
      @ApiProperty({ enum: [kind] })
      @IsIn([kind])
      readonly kind: string;
    }
    if (body !== undefined)
      applyDecorators(ApiProperty({ type: body }), IsObject())(OperationDto.prototype, 'body');
    return [kind, { dto: OperationDto, body }] as const;
  };
  const isAlone = lineDto === newDto;
  const create = isAlone ? `As \`POST /${name}\`.` : 'As a line of an import.';
  const one = `/${name}/{${key}}`;
  return new Map([
    make('create', class {}, create, lineDto),
    ...(putDto === undefined ? [] : [make('put', PutDto, `As \`PUT ${one}\`.`, putDto)]),
    ...(patchDto === undefined ? [] : [make('patch', KeyedDto, `As \`PATCH ${one}\`.`, patchDto)]),
    make('delete', KeyedDto, isAlone ? `As \`DELETE ${one}\`.` : 'Deletes it.'),
  ]);
}

/**
 * Runs all operations of a batch in order, or none. Returns the JSON of the result of each.
 *
 * @throws ApiException of the first refused operation, with its number in the message.
 */
async function runBatch<Row extends ObjectLiteral>(
  collection: Collection<Row>,
  kinds: Kinds,
  operations: readonly unknown[],
): Promise<string[]> {
  const parsed: Operation[] = [];
  for (const [index, operation] of operations.entries()) {
    await takeTurn();
    try {
      parsed.push(await parse(collection, kinds, operation));
    } catch (thrown) {
      throw ofOperation(index, thrown);
    }
  }
  const done = await collection.batch(parsed);
  return done.map(({ isNew, json }, index) => {
    if (json === undefined) return '{"status":204}';
    const status = isNew && parsed[index]?.kind === 'put' ? 201 : 200;
    return `{"status":${status},"body":${json},"etag":${JSON.stringify(`"${entityTagOf(json)}"`)}}`;
  });
}

/** Members of an operation, besides its key. */
interface Members extends Record<string, unknown> {
  readonly kind: Operation['kind'];
  readonly body: Record<string, unknown>;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: '*';
}

async function parse<Row extends ObjectLiteral>(
  { table }: Collection<Row>,
  kinds: Kinds,
  operation: unknown,
): Promise<Operation> {
  const given = Object(operation) as Record<string, unknown>;
  const dtos = kinds.get(given['kind']);
  if (dtos === undefined)
    throw new ApiException(ErrorValue.InvalidBody, `kind must be one of ${[...kinds.keys()].join(', ')}.`);
  const members = (await operationPipe.transform(given, { type: 'body', metatype: dtos.dto })) as Members;
  const { kind, ifMatch, ifNoneMatch } = members;
  const content = (await bodyPipe.transform(members.body, { type: 'body', metatype: dtos.body })) as Members;
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

/** An example of a batch: a create, a patch and a delete. */
function exampleOf(resource: Resource<ObjectLiteral>): object[] {
  const { patchDto } = resource;
  const { key } = namesOf(resource);
  const [one = {}, other = one] = examplesOf(resource);
  const changed = patchDto && fieldsOf(patchDto).findLast(({ name }) => name in one)?.name;
  return [
    { kind: 'create', body: other },
    ...(changed === undefined
      ? []
      : [{ kind: 'patch', [key]: other[key], body: { [changed]: one[changed] } }]),
    { kind: 'delete', [key]: one[key], ifMatch: '*' },
  ];
}
