import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { ObjectLiteral } from 'typeorm';
import type { Column, Table } from '../store/table.js';
import { fieldsOf } from './fields.js';

/** What a kind of resources is made of. Its table, and what one of them is called, are those of the entity. */
export interface Resource<Row extends ObjectLiteral> {
  readonly entity: Type<Row>;
  /** What the service answers: every member of the entity, absent where it is null. */
  readonly dto: Type<object>;
  /** What a client sends to create one. */
  readonly newDto: Type<object>;
  /**
   * Members that no client sends to create one: they come from the path, or the service makes them. Lines of an import have
   * them all the same, so `dto` has a validator for each.
   */
  readonly assigned?: readonly string[];
}

/** What a line of an import has to be: all that one is made of. */
export function lineDto({ dto, newDto, assigned = [] }: Resource<ObjectLiteral>): Type<object> {
  return assigned.length === 0 ? newDto : dto;
}

/**
 * Sees to it that no field is documented and accepted, but lost, or stored and never shown.
 *
 * @throws Error that says which field is where, and where it is not.
 */
export function assertDescribed<Row extends ObjectLiteral>(
  resource: Resource<Row>,
  { columns }: Table<Row>,
): void {
  const { entity, dto, newDto, assigned = [] } = resource;
  const sent = columns.filter(({ property }) => !assigned.includes(property));
  const line = lineDto(resource);
  assertSame(entity, columns, dto, namesOf(dto));
  assertSame(entity, sent, newDto, namesOf(newDto));
  assertSame(entity, sent, newDto, validatedFields(newDto), ' with a validator');
  assertSame(entity, columns, line, validatedFields(line), ' with a validator');
  for (const described of [dto, newDto]) assertSameAbsence(entity, columns, described);
}

function assertSame(
  { name: entity }: Type<object>,
  columns: readonly Column[],
  { name: dto }: Type<object>,
  fields: readonly string[],
  how = '',
): void {
  const lost = fields.find((field) => !columns.some(({ property }) => property === field));
  if (lost !== undefined) throw new Error(`${dto} has a field ${lost}, but ${entity} has no such column.`);
  const hidden = columns.find(({ property }) => !fields.includes(property));
  if (hidden !== undefined)
    throw new Error(`${entity} has a column ${hidden.property}, but ${dto} has no such field${how}.`);
}

/** A field without a value is null in its column, unless its DTO has a default, which the contract says too. */
function assertSameAbsence(
  { name: entity }: Type<object>,
  columns: readonly Column[],
  dto: Type<object>,
): void {
  for (const { name, documented, initial, mayBeAbsent } of fieldsOf(dto)) {
    const column = columns.find(({ property }) => property === name);
    if (mayBeAbsent !== column?.isNullable) {
      const [how, where] = mayBeAbsent ? ['may', 'must have a value'] : ['may not', 'is nullable'];
      throw new Error(`${dto.name}.${name} ${how} be absent, but ${entity}.${name} ${where}.`);
    }
    if (initial !== documented.default || (initial !== undefined && documented.required !== false)) {
      throw new Error(
        `${dto.name}.${name} is ${String(initial)} by default: say so by @ApiPropertyOptional({ default: … }).`,
      );
    }
  }
}

function namesOf(dto: Type<object>): string[] {
  return fieldsOf(dto).map(({ name }) => name);
}

function validatedFields(dto: Type<object>): string[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .map(({ propertyName }) => propertyName);
}
