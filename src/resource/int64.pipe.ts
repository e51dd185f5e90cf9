import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { INT64_MAX, INT64_MIN, parseInt64 } from '../validation/decorators.js';

/** An integer of 64 bits in a path, exact. */
@Injectable()
export class Int64Pipe implements PipeTransform<string, bigint> {
  transform(text: string, { data }: ArgumentMetadata): bigint {
    const integer = parseInt64(text);
    if (integer !== undefined) return integer;
    throw new ApiException(
      ErrorValue.InvalidParameter,
      `A parameter is not valid: ${data} must be an integer from ${INT64_MIN} to ${INT64_MAX}.`,
    );
  }
}
