import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, IsUrl, Matches, Max, Min, ValidateBy, type ValidationArguments } from 'class-validator';

/**
 * TLS is off, on with a verified certificate, or on without verification. The modes of libpq that fall back to no TLS (`allow`,
 * `prefer`) protect nobody.
 */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** Ranges that Express knows by name. */
const PROXY_RANGES = ['loopback', 'linklocal', 'uniquelocal'];
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The property under which each instance of settings has the variables of all instances. */
export const VARIABLES = Symbol('variables');

type Values = Readonly<Record<string, unknown>>;

/**
 * Refuses a text for which `problemOf` returns a problem, worded to follow the name of the variable.
 *
 * A problem does not quote the text, which may hold a password.
 */
export function Check(problemOf: (text: string, variables: Values) => string | false): PropertyDecorator {
  const check = ({ value, object }: ValidationArguments) =>
    problemOf(String(value), Reflect.get(object, VARIABLES) as Values);
  return ValidateBy({
    name: 'check',
    validator: {
      validate: (_, args) => args === undefined || check(args) === false,
      defaultMessage: (args) => `$property ${args && check(args)}`,
    },
  });
}

/** Accepts a list whose items are all valid; `listOf` splits it. */
export function IsListOf(what: string, isItem: (item: string) => boolean): PropertyDecorator {
  return Check((text) => {
    const wrong = listOf(text).findIndex((item) => !isItem(item));
    return wrong !== -1 && `must be ${what}, separated by commas; number ${wrong + 1} is not valid`;
  });
}

export function listOf(text = ''): string[] {
  return text === '' ? [] : text.split(',').map((item) => item.trim());
}

/** Accepts plain decimal digits; `Number` would also take `0x1F90`, `1e3` and white space. */
export function IsWholeNumber(least: number, most: number): PropertyDecorator {
  const message = `$property must be a whole number from ${least} to ${most}`;
  return applyDecorators(
    ToNumber(/^\d+$/),
    IsInt({ message }),
    Min(least, { message }),
    Max(most, { message }),
  );
}

/** Accepts a whole number and a unit; `millisecondsOf` converts them. */
export function IsDuration({ mayBeZero = false } = {}): PropertyDecorator {
  const message = `$property must be ${mayBeZero ? '0, or ' : ''}a whole number and s, m, h or d, as in 24h`;
  return Matches(mayBeZero ? /^(0|[1-9]\d{0,4}[smhd])$/ : /^[1-9]\d{0,4}[smhd]$/, { message });
}

export function millisecondsOf(duration: string): number {
  return Number.parseInt(duration, 10) * (UNITS_MS[duration.slice(-1)] ?? 0);
}

export function IsRatio(): PropertyDecorator {
  const message = '$property must be a decimal number from 0 to 1, such as 0.01';
  return applyDecorators(ToNumber(/^\d+(\.\d+)?$/), Min(0, { message }), Max(1, { message }));
}

function ToNumber(pattern: RegExp): PropertyDecorator {
  return Transform(({ value }: { value: string }) => (pattern.test(value) ? Number(value) : value));
}

export function IsHttpAddress(): PropertyDecorator {
  return IsUrl(
    {
      protocols: ['http', 'https'],
      require_protocol: true,
      require_tld: false,
      allow_underscores: true,
      disallow_auth: true,
      allow_query_components: false,
      allow_fragments: false,
    },
    { message: '$property must be an http or https address without a query or credentials' },
  );
}

/** Accepts origins exactly as browsers send them (RFC 6454, section 6.2), because they are compared as text. */
export function IsOriginList(): PropertyDecorator {
  return IsListOf(
    'origins as a browser sends them, as in https://app.example.org (no path, no / at the end, no capital letters, no default port, no *)',
    (text) => {
      const url = URL.parse(text);
      const isExact = url !== null && url.host !== '' && text === `${url.protocol}//${url.host}`;
      return isExact && text === text.toLowerCase() && !text.includes('*');
    },
  );
}

/** Accepts the trusted proxies that Express accepts, except for abbreviated addresses. */
export function IsProxyList(): PropertyDecorator {
  return IsListOf(
    `addresses, ranges such as 10.0.0.0/8, or ${PROXY_RANGES.join(', ')}`,
    (text) => PROXY_RANGES.includes(text) || isRange(text),
  );
}

/** Accepts addresses and ranges of IPv4 and IPv6. */
export function IsAddressList(): PropertyDecorator {
  return IsListOf('addresses, or ranges such as 10.0.0.0/8', isRange);
}

function isRange(text: string): boolean {
  const [address = '', bits = '1'] = text.split(/\/(.*)/s);
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) > 0 && /^[1-9]\d{0,2}$/.test(bits) && +bits <= most;
}

/** Accepts the issuer of tokens: an https address without a query (RFC 8414, section 2), or an http one on this machine. */
export function IsIssuer(): PropertyDecorator {
  return Check((text) => {
    const url = URL.parse(text);
    const isValid =
      url !== null && isTrustworthy(url) && !url.username && !url.password && !/[?#\s]/.test(text);
    return (
      !isValid &&
      'must be the https address of an identity provider, exactly as its tokens have it in iss ' +
        '(http only on this machine, no query, no fragment, no credentials)'
    );
  });
}

/** Whether the origin is authenticated: by TLS, or because it is on this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/**
 * Accepts the address of a database: `sqlite:` and the path of a file, or a URL with `postgres://`.
 *
 * The service shows the path of a file, or the host and name of a database. So it refuses an address in which these may contain
 * part of a password: a reserved character that is not percent-encoded splits a URL in the wrong place.
 */
export function IsDatabaseUrl(): PropertyDecorator {
  return Check((text) => {
    if (text.startsWith('sqlite:') && isFilePath(text.slice('sqlite:'.length))) return false;
    if (!/^postgres(ql)?:\/\//.test(text))
      return 'must be sqlite: and the path of a file, as in sqlite:data/plant-store.db, or the URL of a PostgreSQL, as in postgres://user:password@host:5432/database';
    const url = URL.parse(text);
    if (
      url === null ||
      !/^(\/[\w.~%+-]*)?$/.test(url.pathname) ||
      url.hash !== '' ||
      url.search.includes('@')
    )
      return 'must be a valid URL; reserved characters in the password are percent-encoded';
    const sslMode = url.searchParams.get('sslmode') ?? 'disable';
    return !SSL_MODES.includes(sslMode) && `must have one of ${SSL_MODES.join(', ')} as sslmode`;
  });
}

function isFilePath(path: string): boolean {
  const withoutDrive = path.replace(/^[a-z]:(?=[\\/])/i, '');
  return /^(?!:memory:|\/\/[^/])./.test(path) && !/:\/\/|:.*@/.test(withoutDrive);
}
