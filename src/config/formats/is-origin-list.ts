import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/**
 * Accepts origins with commas between them, and makes a list of them (RFC 6454, section 6.2).
 *
 * Each has to be written as a browser writes it, because that is what it is compared with.
 */
export function IsOriginList(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: string }) => value.split(',').map((origin) => origin.trim())),
    ValidateBy({
      name: 'isOriginList',
      validator: {
        validate: (origins: readonly string[]) => origins.every(isOrigin),
        // The origin itself is not shown: what is none may hold a password.
        defaultMessage: (context) =>
          '$property must be origins as a browser sends them, as in https://app.example.org,http://localhost:5173 ' +
          '(no path, no / at the end, no capital letters, no default port, no *); ' +
          `number ${indexOfWrong(context?.value as readonly string[]) + 1} is none`,
      },
    }),
  );
}

function indexOfWrong(origins: readonly string[]): number {
  return origins.findIndex((origin) => !isOrigin(origin));
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text) || text.includes('*') || text !== text.toLowerCase()) return false;
  const { protocol, host } = new URL(text);
  return host !== '' && text === `${protocol}//${host}`;
}
