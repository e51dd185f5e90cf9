import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { type CompiledDto, compileDto } from './compiled-dto.js';

/** Turns bodies and queries into DTOs and checks them by their decorators; members that the DTO does not declare are dropped. */
@Injectable()
export class DtoValidationPipe extends ValidationPipe {
  private readonly compiled = new Map<Type<object>, CompiledDto | undefined>();

  /** @param subject what is validated, for the message of a refusal. */
  constructor(private readonly subject: string) {
    super({
      ...OPTIONS,
      transform: true,
      whitelist: true,
      exceptionFactory: (errors: ValidationError[]) => this.invalid(errors),
    });
  }

  override async transform(value: Record<string, unknown>, metadata: ArgumentMetadata): Promise<unknown> {
    // A single parameter has a pipe of its own.
    if (metadata.type !== 'body' && metadata.type !== 'query') return value;
    const dto = this.compiledDto(metadata);
    if (dto === undefined) return super.transform(value, metadata);
    const made = dto.make(value);
    if (dto.isValid(made)) return made;
    const errors = await validate(made, OPTIONS);
    if (errors.length > 0) throw metadata.type === 'body' ? this.invalid(errors) : invalidParameters(errors);
    return made;
  }

  private invalid(errors: ValidationError[]): ApiException {
    return new ApiException(ErrorValue.InvalidBody, `${this.subject} is not valid: ${listProblems(errors)}.`);
  }

  private compiledDto({ metatype }: ArgumentMetadata): CompiledDto | undefined {
    if (metatype === undefined) return undefined;
    if (!this.compiled.has(metatype)) this.compiled.set(metatype, compileDto(metatype));
    return this.compiled.get(metatype);
  }
}

const OPTIONS: ValidatorOptions = {
  stopAtFirstError: true,
  validationError: { target: false, value: false },
};

function invalidParameters(errors: ValidationError[]): ApiException {
  return new ApiException(ErrorValue.InvalidParameter, `A parameter is not valid: ${listProblems(errors)}.`);
}

function listProblems(errors: ValidationError[]): string {
  return errors.flatMap((error) => problemsOf(error)).join('; ');
}

/** What is wrong with a member and with the members inside it, each under its full name. */
function problemsOf({ property, constraints = {}, children = [] }: ValidationError): string[] {
  const inside = children.flatMap((child) => problemsOf(child)).map((problem) => `${property}.${problem}`);
  return [...Object.values(constraints), ...inside];
}
