import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** A date and a time with an offset (RFC 3339, section 5.6), to the millisecond: a `Date` has no more, and no leap seconds. */
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,3}0*)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A property of type `Date` that holds a moment which a body has as text (OpenAPI format date-time). */
export function IsTimestamp(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => parseTimestamp(value) ?? value),
    ValidateBy({
      name: 'isTimestamp',
      validator: {
        validate: (value: unknown) => value instanceof Date,
        defaultMessage: () =>
          '$property must be a time such as 2026-03-01T08:30:00Z, with milliseconds at most',
      },
    }),
  );
}

function parseTimestamp(value: unknown): Date | undefined {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  const [, day = ''] = TIMESTAMP.exec(text) ?? [];
  // To `Date` February 30 is March 2.
  if (day === '' || !new Date(day).toJSON()?.startsWith(day)) return undefined;
  const time = new Date(text);
  // Years of more than four digits, to which an offset may lead, do not sort as text.
  return /^\d/.test(time.toJSON()) ? time : undefined;
}
