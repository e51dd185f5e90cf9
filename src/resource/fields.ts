import type { Type } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';

/** Where `@ApiProperty()` keeps what it knows of a field, and the names of the fields, each behind a colon. */
const API_PROPERTY = 'swagger/apiModelProperties';
const API_PROPERTIES = 'swagger/apiModelPropertiesArray';

/** A field of a DTO class as `@ApiProperty()` documents it. */
export interface Field {
  readonly name: string;
  readonly documented: ApiPropertyOptions;
  /** Its value where a body leaves it out. */
  readonly initial: unknown;
  /** Whether it has no value where a body leaves it out. */
  readonly mayBeAbsent: boolean;
}

/** The documented fields of a DTO class. */
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
