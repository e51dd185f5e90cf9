import type { Type } from '@nestjs/common';
import { type TransformFnParams, TransformationType } from 'class-transformer';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

/** What the decorators of a flat DTO class stand for. */
export interface CompiledDto {
  /** Makes a DTO of the members of a body that the class declares. */
  readonly make: (body: Members) => object;
  /** Whether a DTO is valid; false also when only the full validation can tell. */
  readonly isValid: (made: object) => boolean;
}

type Members = Record<string, unknown>;

/** One member of a DTO class, as its decorators describe it. */
interface Member {
  readonly name: string;
  readonly transforms: readonly ((params: TransformFnParams) => unknown)[];
  /** From `ValidateIf`: the member is checked when all of them hold. */
  readonly conditions: readonly ((object: object, value: unknown) => unknown)[];
  readonly checks: readonly ((object: object, value: unknown) => unknown)[];
}

/**
 * Compiles the decorators of a flat DTO class into what they stand for; undefined for a class that uses more than plain
 * checks and transforms of single members.
 *
 * The constraints are class-validator's and the transforms are class-transformer's, but which those are is not worked out
 * for every body: that takes ten times as long as they do (docs/performance.md), and a time that grows with the square of
 * the number of members that the body has.
 */
export function compileDto(dto: Type<object>): CompiledDto | undefined {
  const members = membersOf(dto);
  if (members === undefined) return undefined;
  return {
    make: (body) => {
      const made = new dto() as Members;
      for (const member of members) {
        if (Object.hasOwn(body, member.name)) made[member.name] = transform(body, member);
      }
      return made;
    },
    isValid: (made) => members.every((member) => isValid(made as Members, member)),
  };
}

function transform(body: Members, { name, transforms }: Member): unknown {
  let value = body[name];
  for (const apply of transforms) {
    value = apply({ key: name, value, obj: body, type: TransformationType.PLAIN_TO_CLASS, options: {} });
  }
  return value;
}

function isValid(made: Members, { name, conditions, checks }: Member): boolean {
  const value = made[name];
  if (!conditions.every((holds) => holds(made, value))) return true;
  // A check that answers later answers with a promise: that is for the full validation.
  return checks.every((passes) => passes(made, value) === true);
}

function membersOf(dto: Type<object>): Member[] | undefined {
  const storage = getMetadataStorage();
  const byName = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', false, false));
  const members = Object.entries(byName).map(([name, validations]) => {
    const transforms = transformations.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
    const isPlain =
      transformations.findTypeMetadata(dto, name) === undefined &&
      transforms.every(({ options }) => Object.keys(options).length === 0) &&
      // A decorator with other options, such as a message, leaves the groups undefined.
      validations.every(({ each, groups, validateIf }) => !each && !groups?.length && !validateIf);
    const conditions = validations.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
    const checks = validations.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION);
    if (!isPlain || conditions.length + checks.length < validations.length) return undefined;
    return {
      name,
      transforms: transforms.map(({ transformFn }) => transformFn),
      conditions: conditions.map(({ constraints }) => constraints[0] as Member['conditions'][number]),
      checks: checks.flatMap(({ constraintCls, constraints }) =>
        storage
          .getTargetValidatorConstraints(constraintCls)
          .map(({ instance }) => (object: object, value: unknown) => {
            const details: ValidationArguments = {
              targetName: dto.name,
              property: name,
              object,
              value,
              constraints,
            };
            return instance.validate(value, details);
          }),
      ),
    };
  });
  const isFlat =
    members.length > 0 &&
    transformations.getStrategy(dto) === 'none' &&
    transformations.getExposedMetadatas(dto).length === 0 &&
    transformations.getExcludedMetadatas(dto).length === 0;
  return isFlat && members.every((member) => member !== undefined) ? members : undefined;
}
