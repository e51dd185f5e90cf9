import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** Ranges that Express knows by name. */
const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** Accepts addresses, ranges of them (RFC 4632, section 3.1) and names of ranges with commas between them, and makes a list of them. */
export function IsProxyList(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: string }) => value.split(',').map((proxy) => proxy.trim())),
    ValidateBy({
      name: 'isProxyList',
      validator: {
        validate: (proxies: readonly string[]) => proxies.every(isProxy),
        defaultMessage: (context) =>
          `$property must be addresses, ranges such as 10.0.0.0/8, or ${NAMES.join(', ')}, separated by commas; ` +
          `${firstWrong(context?.value as readonly string[])} is none`,
      },
    }),
  );
}

function firstWrong(proxies: readonly string[]): string {
  return JSON.stringify(proxies.find((proxy) => !isProxy(proxy)));
}

function isProxy(text: string): boolean {
  if (NAMES.includes(text)) return true;
  const [address = '', bits] = text.split(/\/(.*)/s);
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) > 0 && (bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= most));
}
