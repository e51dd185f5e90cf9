import { applyDecorators, HttpCode, HttpStatus, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { ErrorFilter } from '../http/pipeline/error.filter.js';
import { ApiErrors } from './api-errors.decorator.js';

/** A response of the contract; 200 by default. */
export type Returned = ApiResponseNoStatusOptions & { readonly status?: HttpStatus };

/** What the contract says of an operation. */
export interface EndpointOptions {
  readonly id: string;
  readonly summary?: string;
  readonly description: string;
  /** The responses of a success. The first has the status that Nest sets. */
  readonly returns: Returned | readonly Returned[];
  /** Error values, or exceptions where the message names a resource, besides the errors of access. A public operation has 'none'. */
  readonly errors?: Parameters<typeof ApiErrors>[0] | 'none';
  /** The status of the operation's own failures, a conflict or a crash. */
  readonly failureStatus?: HttpStatus;
}

/** Documents an operation, and sets the statuses that it documents. */
export function Endpoint({ id, returns, errors, failureStatus, ...texts }: EndpointOptions): MethodDecorator {
  const responses = [returns].flat();
  return applyDecorators(
    ApiOperation({ operationId: id, ...texts }),
    ...responses.map((response) => ApiResponse({ status: HttpStatus.OK, ...response })),
    HttpCode(responses[0]?.status ?? HttpStatus.OK),
    ...(errors === 'none' ? [] : [ApiErrors(errors, failureStatus)]),
    ...(failureStatus === undefined ? [] : [UseFilters(new ErrorFilter(failureStatus))]),
  );
}
