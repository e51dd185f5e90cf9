import { type HttpStatus, UseFilters } from '@nestjs/common';
import { ErrorFilter } from './error.filter.js';

/** Fixes the status of an operation's own failures, a conflict or a crash, where its contract does. */
export function FailWith(status: HttpStatus): MethodDecorator {
  return UseFilters(new ErrorFilter(status));
}
