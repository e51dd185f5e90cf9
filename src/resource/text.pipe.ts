import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { isStorableText } from '../validation/decorators.js';

/** A text in a path, such as a key that the client chooses: `@Param('name', new TextPipe(64))`. */
export class TextPipe implements PipeTransform<string, string> {
  /** @param most code points that it has at most. */
  constructor(private readonly most: number) {}

  transform(text: string, { data }: ArgumentMetadata): string {
    if (isStorableText(text, this.most)) return text;
    throw new ApiException(
      ErrorValue.InvalidParameter,
      `A parameter is not valid: ${data} must have at most ${this.most} Unicode characters other than U+0000.`,
    );
  }
}
