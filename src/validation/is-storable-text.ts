import { ValidateBy } from 'class-validator';

/**
 * A string that every database can keep exactly: no lone surrogates, which UTF-8 cannot encode, and no U+0000, which
 * PostgreSQL refuses and SQLite takes for the end.
 */
export function IsStorableText(): PropertyDecorator {
  return ValidateBy({
    name: 'isStorableText',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
      defaultMessage: () => '$property must be a string of Unicode characters other than U+0000',
    },
  });
}
