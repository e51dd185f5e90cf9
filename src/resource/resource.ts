import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { ObjectLiteral } from 'typeorm';
import type { Table } from '../store/table.js';

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

/** Where `@ApiProperty()` keeps the names of the members of a class, each behind a colon. */
const API_PROPERTIES = 'swagger/apiModelPropertiesArray';

/**
 * Sees to it that no field is documented and accepted, but lost, or stored and never shown.
 *
 * @throws Error that says which member is where, and where it is not.
 */
export function assertDescribed<Row extends ObjectLiteral>(
  resource: Resource<Row>,
  { columns }: Table<Row>,
): void {
  const { entity, dto, newDto, assigned = [] } = resource;
  const stored = columns.map(({ property }) => property);
  const sent = stored.filter((property) => !assigned.includes(property));
  const line = lineDto(resource);
  assertSame(entity, stored, dto, documentedMembers(dto));
  assertSame(entity, sent, newDto, documentedMembers(newDto));
  assertSame(entity, sent, newDto, validatedMembers(newDto), ' with a validator');
  assertSame(entity, stored, line, validatedMembers(line), ' with a validator');
}

function assertSame(
  entity: Type<object>,
  columns: string[],
  dto: Type<object>,
  members: string[],
  how = '',
): void {
  const lost = members.find((member) => !columns.includes(member));
  if (lost !== undefined)
    throw new Error(`${dto.name} has a member ${lost}, but ${entity.name} has no such column.`);
  const hidden = columns.find((column) => !members.includes(column));
  if (hidden !== undefined)
    throw new Error(`${entity.name} has a column ${hidden}, but ${dto.name} has no such member${how}.`);
}

function documentedMembers({ prototype }: Type<object>): string[] {
  const names = (Reflect.getMetadata(API_PROPERTIES, prototype as object) ?? []) as string[];
  return names.map((name) => name.slice(1));
}

function validatedMembers(dto: Type<object>): string[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .map(({ propertyName }) => propertyName);
}
