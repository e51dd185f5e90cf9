import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, PartialType } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';

/** A merge patch of a class: each member may be absent, and one that is optional there may be null, which removes it. */
type MergePatch<Content> = {
  [Name in keyof Content]?: undefined extends Content[Name] ? Content[Name] | null : Content[Name];
};

/** Where `@ApiProperty()` keeps what it knows of a member. */
const API_PROPERTY = 'swagger/apiModelProperties';

/** The class of merge patches of what another class describes (RFC 7396): the same members under the same rules. */
export function MergePatchType<Content extends object>(content: Type<Content>): Type<MergePatch<Content>> {
  const patch = PartialType(content, { skipNullProperties: false });
  const { prototype } = content as { prototype: object };
  const names = (Reflect.getMetadata(`${API_PROPERTY}Array`, prototype) ?? []) as string[];
  for (const name of names.map((text) => text.slice(1))) {
    const options = Reflect.getMetadata(API_PROPERTY, prototype, name) as ApiPropertyOptions;
    if (options.required !== false) continue;
    ValidateIf((_object: object, value: unknown) => value !== null)(patch.prototype as object, name);
    ApiProperty({ ...options, type: 'string', nullable: true })(patch.prototype as object, name);
  }
  return patch;
}
