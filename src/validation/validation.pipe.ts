import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { type CompiledDto, compileDto } from './compiled-dto.js';

/** Turns bodies into DTOs and checks them by their decorators; members that the DTO does not declare are dropped. */
@Injectable()
export class BodyValidationPipe extends ValidationPipe {
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
    const dto = this.compiledDto(metadata);
    if (dto === undefined) return super.transform(value, metadata);
    const made = dto.make(value);
    if (dto.isValid(made)) return made;
    const errors = await validate(made, OPTIONS);
    if (errors.length > 0) throw this.invalid(errors);
    return made;
  }

  private invalid(errors: ValidationError[]): ApiException {
    const problems = errors.flatMap((error) => problemsOf(error));
    return new ApiException(ErrorValue.InvalidBody, `${this.subject} is not valid: ${problems.join('; ')}.`);
  }

  private compiledDto({ type, metatype }: ArgumentMetadata): CompiledDto | undefined {
    if (type !== 'body' || metatype === undefined) return undefined;
    if (!this.compiled.has(metatype)) this.compiled.set(metatype, compileDto(metatype));
    return this.compiled.get(metatype);
  }
}

const OPTIONS: ValidatorOptions = {
  stopAtFirstError: true,
  validationError: { target: false, value: false },
};

/** What is wrong with a member and with the members inside it, each under its full name. */
function problemsOf({ property, constraints = {}, children = [] }: ValidationError): string[] {
  const inside = children.flatMap((child) => problemsOf(child)).map((problem) => `${property}.${problem}`);
  return [...Object.values(constraints), ...inside];
}
