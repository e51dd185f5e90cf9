import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { parseInt64 } from '../validation/integer-parameter.js';
import { INT64_MAX, INT64_MIN } from '../validation/is-int64.js';

/** The id in a path, exact. */
@Injectable()
export class PlantIdPipe implements PipeTransform<string, bigint> {
  transform(text: string): bigint {
    const id = parseInt64(text);
    if (id !== undefined) return id;
    throw new ApiException(
      ErrorValue.InvalidParameter,
      `A parameter is not valid: id must be an integer from ${INT64_MIN} to ${INT64_MAX}.`,
    );
  }
}
