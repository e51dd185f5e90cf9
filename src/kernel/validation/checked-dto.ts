import type { Type } from '@nestjs/common';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, IS_OPTIONAL } from 'class-validator';

const BUILT_IN = new Set<unknown>([Object, Array, String, Number, Boolean, BigInt, Date]);

/** The names of the fields that `@ApiProperty()` documents, each after a colon. */
const API_PROPERTIES = 'swagger/apiModelPropertiesArray';

/** @throws Error when a DTO would let a value in unchecked, change it, or drop it. */
export function assertChecked(dto: Type<object>, seen = new Set<unknown>()): void {
  if (seen.has(dto)) return;
  seen.add(dto);
  const validations = BUILT_IN.has(dto)
    ? []
    : getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  if (validations.length === 0)
    throw new Error(`${dto.name} has no validators: use a class whose fields have them.`);
  const names = new Set(validations.map(({ propertyName }) => propertyName));
  const documented = (Reflect.getMetadata(API_PROPERTIES, dto.prototype as object) ?? []) as string[];
  const unchecked = documented.find((name) => !names.has(name.slice(1)));
  if (unchecked !== undefined)
    throw new Error(`${dto.name}${unchecked.replace(':', '.')} has no validator, so it would be dropped.`);
  for (const { name, propertyName } of validations)
    if (name === IS_OPTIONAL)
      throw new Error(
        `${dto.name}.${propertyName} lets null in by @IsOptional(): use @MayBeAbsent(), or MergePatchType() for a patch.`,
      );
  for (const name of names) {
    const type: unknown = transformations
      .findTypeMetadata(dto, name)
      ?.typeFunction({ newObject: {}, object: {}, property: name });
    if (BUILT_IN.has(type))
      throw new Error(
        `${dto.name}.${name} takes anything for a ${(type as { name: string }).name} by @Type(): use ` +
          '@IsTimestamp(), @IsCalendarDay(), @IsInt64() or @IsIntegerParameter().',
      );
    if (type !== undefined) assertChecked(type as Type<object>, seen);
  }
}
