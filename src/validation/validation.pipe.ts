import {
  type ArgumentMetadata,
  Injectable,
  type PipeTransform,
  type Type,
  ValidationPipe,
} from '@nestjs/common';
import { validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { type CompiledDto, compileDto } from './compiled-dto.js';

/** Turns bodies and queries into DTOs and checks them by their decorators; members that the DTO does not declare are dropped. */
@Injectable()
export class DtoValidationPipe implements PipeTransform {
  private readonly compiled = new Map<Type<object>, CompiledDto | undefined>();
  private readonly body: Validation;
  private readonly query = validation(ErrorValue.InvalidParameter, 'A parameter');

  /** @param subject what is validated when it is no query, for the message of a refusal. */
  constructor(subject: string) {
    this.body = validation(ErrorValue.InvalidBody, subject);
  }

  async transform(value: Record<string, unknown>, metadata: ArgumentMetadata): Promise<unknown> {
    // A single parameter has a pipe of its own.
    if (metadata.type !== 'body' && metadata.type !== 'query') return value;
    const { pipe, refusal } = this[metadata.type];
    const dto = this.compiledDto(metadata);
    if (dto === undefined) return pipe.transform(value, metadata);
    const made = dto.make(value);
    if (dto.isValid(made)) return made;
    const errors = await validate(made, OPTIONS);
    if (errors.length > 0) throw refusal(errors);
    return made;
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

/** How one kind of DTO is validated where a compiled one is not enough. */
interface Validation {
  readonly pipe: ValidationPipe;
  readonly refusal: (errors: ValidationError[]) => ApiException;
}

function validation(error: ErrorValue, subject: string): Validation {
  const refusal = (errors: ValidationError[]) =>
    new ApiException(error, `${subject} is not valid: ${listProblems(errors)}.`);
  return {
    pipe: new ValidationPipe({ ...OPTIONS, transform: true, whitelist: true, exceptionFactory: refusal }),
    refusal,
  };
}

function listProblems(errors: ValidationError[]): string {
  return errors.flatMap((error) => problemsOf(error)).join('; ');
}

/** What is wrong with a member and with the members inside it, each under its full name. */
function problemsOf({ property, constraints = {}, children = [] }: ValidationError): string[] {
  const inside = children.flatMap((child) => problemsOf(child)).map((problem) => `${property}.${problem}`);
  return [...Object.values(constraints), ...inside];
}
