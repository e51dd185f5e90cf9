import type { Type } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { getMetadataArgsStorage, type ObjectLiteral } from 'typeorm';
import type { Scope } from '../auth/principal.js';
import type { Column, Table } from '../store/table.js';

/** Describes a resource: its entity and its DTOs. */
export interface Resource<Row extends ObjectLiteral> {
  readonly entity: Type<Row>;
  /** The response: every field of the entity, absent where it is null. It has a validator for each, for imports by the command line. */
  readonly dto: Type<object>;
  /** The body of a create. */
  readonly newDto: Type<object>;
  /** The bodies of a PUT and a PATCH. A batch has only the operations that have a DTO. */
  readonly putDto?: Type<object>;
  readonly patchDto?: Type<object>;
  /** A create in a batch and a line of an import, which also have the fields that otherwise come from the path. By default `newDto`. */
  readonly lineDto?: Type<object>;
  /** Two lines of an import, for the contract. By default one line with the example of each field. */
  readonly examples?: readonly object[];
  /** Fields that come from the path or the service, and that no client changes. */
  readonly assigned?: readonly string[];
  /** Values of a new resource in fields of `assigned`, such as its first state. */
  readonly initial?: Partial<Row>;
  /**
   * The text column that holds the owner of a resource, which no client sends. `Collection.as()` then decides who sees it, and
   * the scope `offers:own` lets a caller in beside `offers:read` and `offers:write`.
   */
  readonly owner?: string;
  /** What is wrong with a row whose fields do not go together, as in "price needs a currency"; undefined when nothing is. */
  rule?(row: Row): string | undefined;
}

/** The names of a resource. */
export interface Names {
  /** Of its table, its path and its scopes, such as `plants`. */
  readonly name: string;
  /** Ends the ids of operations, such as `Plants`. */
  readonly Name: string;
  readonly noun: string;
  /** Part of the names of schemas, such as `Plant`. */
  readonly Noun: string;
  /** The property of its key, such as `id`. */
  readonly key: string;
}

export function namesOf({ entity }: Resource<ObjectLiteral>): Names {
  const { tables, columns } = getMetadataArgsStorage();
  const name = tables.find(({ target }) => target === entity)?.name;
  const key = columns.find(({ target, options }) => target === entity && options.primary)?.propertyName;
  if (name === undefined || key === undefined)
    throw new Error(`${entity.name} must name its table, by @Entity('…'), and have a @PrimaryColumn().`);
  const Name = name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
  return { name, Name, noun: entity.name.toLowerCase(), Noun: entity.name, key };
}

/** The scope of callers who see their own resources only. */
export function ownScopeOf(resource: Resource<ObjectLiteral>): Scope {
  return `${namesOf(resource).name}:own`;
}

/** Examples of lines of an import and an export. */
export function examplesOf({
  examples,
  newDto,
  lineDto = newDto,
}: Resource<ObjectLiteral>): readonly ObjectLiteral[] {
  if (examples !== undefined) return examples;
  return [Object.fromEntries(fieldsOf(lineDto).map(({ name, documented }) => [name, documented.example]))];
}

/** A row as JSON has it: a field without a value is absent. */
export type Representation<Row> = {
  [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name];
} & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>;
};

/** Turns a row into its JSON: a field without a value is absent. */
export function withoutNulls<Row extends object>(row: Row): Representation<Row> {
  const representation: Record<string, unknown> = {};
  for (const name in row) if (row[name] !== null) representation[name] = row[name];
  return representation as Representation<Row>;
}

/** Whether the service sets a column, and no client sends it. */
export function isAssigned<Row extends ObjectLiteral>(
  { assigned = [], owner }: Resource<Row>,
  { property, isHidden }: Column,
): boolean {
  return isHidden || property === owner || assigned.includes(property);
}

/** @throws Error when a field is documented and accepted but not stored, or stored and never shown. */
export function assertDescribed<Row extends ObjectLiteral>(resource: Resource<Row>, table: Table<Row>): void {
  const { entity, dto, newDto, putDto, lineDto = newDto, owner } = resource;
  const { columns, key } = table;
  if (owner !== undefined) table.column(owner);
  const shown = columns.filter(({ isHidden }) => !isHidden);
  const sent = columns.filter((column) => !isAssigned(resource, column));
  assertSame(entity, shown, dto);
  assertSame(entity, sent, newDto);
  // Otherwise, a PUT would remove what it cannot send.
  if (putDto !== undefined)
    assertSame(
      entity,
      sent.filter((column) => column !== key),
      putDto,
    );
  const inLines = new Set(fieldsOf(lineDto).map(({ name }) => name));
  const mayBeInLines = ({ property }: Column) => property !== owner && inLines.has(property);
  assertSame(entity, [...new Set([...sent, ...shown.filter(mayBeInLines)])], lineDto);
}

function assertSame({ name: entity }: Type<object>, columns: readonly Column[], dto: Type<object>): void {
  const fields = fieldsOf(dto);
  const validations = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  for (const { property } of columns) {
    const missing = `${entity} has a column ${property}, but ${dto.name} has no such field`;
    if (!fields.some(({ name }) => name === property))
      throw new Error(
        `${missing}. If the service sets it, name it in \`assigned\` or \`owner\` of the resource.`,
      );
    if (!validations.some(({ propertyName }) => propertyName === property))
      throw new Error(`${missing} with a validator.`);
  }
  for (const { name, documented, initial, mayBeAbsent } of fields) {
    const column = columns.find(({ property }) => property === name);
    const field = `${dto.name}.${name}`;
    if (column === undefined)
      throw new Error(`${dto.name} has a field ${name}, but ${entity} has no such column.`);
    if (mayBeAbsent !== column.isNullable) {
      const [how, where] = mayBeAbsent ? ['may', 'must have a value'] : ['may not', 'is nullable'];
      throw new Error(`${field} ${how} be absent, but ${entity}.${name} ${where}.`);
    }
    if (initial !== documented.default || (initial !== undefined && documented.required !== false))
      throw new Error(
        `${field} is ${String(initial)} by default: say so by @ApiPropertyOptional({ default: … }).`,
      );
  }
}

/** The keys of the metadata of `@ApiProperty()`: of one field, and of the names of all fields, each after a colon. */
const API_PROPERTY = 'swagger/apiModelProperties';
const API_PROPERTIES = 'swagger/apiModelPropertiesArray';

/** A field of a DTO class as `@ApiProperty()` documents it. */
export interface Field {
  readonly name: string;
  readonly documented: ApiPropertyOptions;
  /** Its default. */
  readonly initial: unknown;
  /** Whether a body may omit it, and it then has no value. */
  readonly mayBeAbsent: boolean;
}

export function fieldsOf(dto: Type<object>): Field[] {
  const prototype = dto.prototype as object;
  const initial = new dto() as Record<string, unknown>;
  const names = (Reflect.getMetadata(API_PROPERTIES, prototype) ?? []) as string[];
  return names.map((text) => {
    const name = text.slice(1);
    const documented = Reflect.getMetadata(API_PROPERTY, prototype, name) as ApiPropertyOptions;
    const mayBeAbsent = documented.required === false && initial[name] === undefined;
    return { name, documented, initial: initial[name], mayBeAbsent };
  });
}

/** Documents a field of a DTO class anew. */
export function redocument(dto: Type<object>, name: string, options: object): void {
  Reflect.defineMetadata(API_PROPERTY, options, dto.prototype as object, name);
}
