import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { INT64_MAX, INT64_MIN, isStorableText, parseInt64 } from '../validation/decorators.js';
import { invalidParameter } from './resource-errors.js';

/** Parses an exact int64 of the path: `@Int64Id()`. */
@Injectable()
export class Int64Pipe implements PipeTransform<string, bigint> {
  transform(text: string, { data }: ArgumentMetadata): bigint {
    const integer = parseInt64(text);
    if (integer === undefined)
      throw invalidParameter(`${data} must be an integer from ${INT64_MIN} to ${INT64_MAX}`);
    return integer;
  }
}

/** Checks a text of the path, such as a key that the client chooses: `PathKey('name', new TextPipe(64), …)`. */
export class TextPipe implements PipeTransform<string, string> {
  /** @param most the maximum number of code points. */
  constructor(private readonly most: number) {}

  transform(text: string, { data }: ArgumentMetadata): string {
    if (!isStorableText(text, this.most))
      throw invalidParameter(`${data} must have at most ${this.most} Unicode characters other than U+0000`);
    return text;
  }
}
