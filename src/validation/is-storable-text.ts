import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';

/** Characters of a text at most, unless its field allows fewer: so every row, body and batch is small. */
export const MAX_TEXT = 16_384;

/**
 * A string that every database can keep exactly: no lone surrogates, which UTF-8 cannot encode, and no U+0000, which
 * PostgreSQL refuses and SQLite takes for the end. The contract has the limit as `maxLength`.
 *
 * @param most code points, as databases and JSON Schema count characters; `MaxLength()` does not count all of them.
 */
export function IsStorableText(most: number): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ maxLength: most }),
    ValidateBy({
      name: 'isStorableText',
      validator: {
        validate: (value: unknown) => isStorableText(value, most),
        defaultMessage: (context) =>
          typeof context?.value === 'string' && isStorable(context.value)
            ? `$property must be shorter than or equal to ${most} characters`
            : '$property must be a string of Unicode characters other than U+0000',
      },
    }),
  );
}

/** Whether a value is a string that every database can keep, of so many code points at most. */
export function isStorableText(value: unknown, most: number): value is string {
  return typeof value === 'string' && isStorable(value) && (value.length <= most || countOf(value) <= most);
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function countOf(text: string): number {
  return Array.from(text).length;
}
