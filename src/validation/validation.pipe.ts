import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { compileFastPath, type FastPath } from './fast-path.js';

/** Turns bodies into DTOs and checks them by their decorators; members that the DTO does not declare are dropped. */
@Injectable()
export class BodyValidationPipe extends ValidationPipe {
  private readonly fastPaths = new Map<Type<object>, FastPath | undefined>();

  constructor() {
    super({
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
      exceptionFactory: invalidBody,
    });
  }

  override async transform(value: object, metadata: ArgumentMetadata): Promise<unknown> {
    return this.takeFastPath(value, metadata) ?? super.transform(value, metadata);
  }

  private takeFastPath(value: object, { type, metatype }: ArgumentMetadata): object | undefined {
    if (type !== 'body' || metatype === undefined) return undefined;
    if (!this.fastPaths.has(metatype)) this.fastPaths.set(metatype, compileFastPath(metatype));
    return this.fastPaths.get(metatype)?.(value as Record<string, unknown>);
  }
}

function invalidBody(errors: ValidationError[]): ApiException {
  const problems = errors.flatMap((error) => problemsOf(error));
  return new ApiException(ErrorValue.InvalidBody, `The body is not valid: ${problems.join('; ')}.`);
}

/** What is wrong with a member and with the members inside it, each under its full name. */
function problemsOf({ property, constraints = {}, children = [] }: ValidationError): string[] {
  const inside = children.flatMap((child) => problemsOf(child)).map((problem) => `${property}.${problem}`);
  return [...Object.values(constraints), ...inside];
}
