import { ValidateIf } from 'class-validator';

/** An optional property: it may be absent, but `null` is a value like any other and has to pass the other checks. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_object: object, value: unknown) => value !== undefined);
}
