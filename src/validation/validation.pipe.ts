import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';

/** Turns bodies into DTOs and checks them by their decorators; members that the DTO does not declare are dropped. */
export const validationPipe = new ValidationPipe({
  transform: true,
  whitelist: true,
  stopAtFirstError: true,
  validationError: { target: false, value: false },
  exceptionFactory: (errors: ValidationError[]) => {
    const problems = errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
    return new ApiException(ErrorValue.InvalidBody, `The body is not valid: ${problems.join('; ')}.`);
  },
});
