import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import type { RateLimit } from '../settings.js';

const MOST = 1_000_000;

/** Accepts requests a second, and after a colon the requests at once, and makes a RateLimit of them. */
export function IsRateLimit(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: string }) => rateLimitOf(value)),
    ValidateBy({
      name: 'isRateLimit',
      validator: {
        validate: (limit: RateLimit | string) => typeof limit === 'object',
        defaultMessage: () =>
          `$property must be requests a second from 1 to ${MOST}, as in 100, or with the requests at once, as in 100:200`,
      },
    }),
  );
}

/** The text itself when it is none. */
function rateLimitOf(text: string): RateLimit | string {
  if (!/^\d+(:\d+)?$/.test(text)) return text;
  const [rate = 0, burst = rate] = text.split(':').map(Number);
  return [rate, burst].every((number) => number >= 1 && number <= MOST) ? { rate, burst } : text;
}
