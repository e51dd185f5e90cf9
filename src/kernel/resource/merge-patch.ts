import type { Type } from '@nestjs/common';
import { PartialType } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { fieldsOf, redocument } from './resource.js';

/** A merge patch of a class: each field may be absent, and one that is optional there may be null, which removes it. */
type MergePatch<Content> = {
  [Name in keyof Content]?: undefined extends Content[Name] ? Content[Name] | null : Content[Name];
};

/** The class of merge patches of another class (RFC 7396): the same fields under the same rules, without their defaults. */
export function MergePatchType<Content extends object>(content: Type<Content>): Type<MergePatch<Content>> {
  const Partial = PartialType(content, { skipNullProperties: false }) as Type<object>;
  class Patch extends Partial {
    constructor() {
      super();
      // A field that is absent stays as it is, and does not become its default.
      for (const name of Object.keys(this)) Reflect.deleteProperty(this, name);
    }
  }
  for (const { name, documented, mayBeAbsent } of fieldsOf(content)) {
    const { default: _default, ...options } = documented;
    redocument(Patch, name, { ...options, required: false, ...(mayBeAbsent && { nullable: true }) });
    if (mayBeAbsent) ValidateIf((_object: object, value: unknown) => value !== null)(Patch.prototype, name);
  }
  return Patch;
}
