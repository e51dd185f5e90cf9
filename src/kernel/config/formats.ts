import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/**
 * TLS is off, on with a verified certificate, or on without verification. The modes of libpq that fall back to no TLS (`allow`,
 * `prefer`) protect nobody.
 */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** The parameters of a URL of PostgreSQL. The driver ignores all others: `sslMode=require` would connect without TLS. */
const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'options', 'host'];
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

/** Splits at commas, except for those after a backslash. */
export function listOf(text = ''): string[] {
  return text === '' ? [] : text.split(/(?<!\\),/).map((item) => item.trim());
}

/** Accepts plain decimal digits; `Number` would also take `0x1F90`, `1e3` and white space. */
export function IsWholeNumber(least: number, most: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: string }) => (/^\d+$/.test(value) ? Number(value) : value)),
    Check((text) => {
      const isValid = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
      return !isValid && `must be a whole number from ${least} to ${most}`;
    }),
  );
}

/** Accepts a whole number and a unit; `millisecondsOf` converts them. */
export function IsDuration({ mayBeZero = false } = {}): PropertyDecorator {
  return Check(
    (text) =>
      !/^[1-9]\d{0,4}[smhd]$/.test(text) &&
      !(mayBeZero && text === '0') &&
      `must be ${mayBeZero ? '0, or ' : ''}a whole number and s, m, h or d, as in 24h`,
  );
}

export function millisecondsOf(duration: string): number {
  return Number.parseInt(duration, 10) * (UNITS_MS[duration.slice(-1)] ?? 0);
}

export function IsHttpAddress(): PropertyDecorator {
  return Check((text) => {
    const isValid = /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(text) && URL.canParse(text);
    return !isValid && 'must be an http or https address without a query or credentials';
  });
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

/** Accepts addresses and ranges of IPv4 and IPv6, and these names. */
export function IsAddressList(...names: readonly string[]): PropertyDecorator {
  const what = ['addresses', 'ranges such as 10.0.0.0/8', ...names].join(', ');
  return IsListOf(what, (text) => names.includes(text) || isRange(text));
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
    if (text.startsWith('sqlite:') && text.includes('?'))
      return 'must be sqlite: and the path of a file, which has no parameters and no question mark';
    if (text.startsWith('sqlite:') && isFilePath(text.slice('sqlite:'.length))) return false;
    if (!/^postgres(ql)?:\/\//.test(text))
      return 'must be sqlite: and the path of a file, as in sqlite:data/plant-store.db, or the URL of a PostgreSQL, as in postgres://user:password@host:5432/database';
    const urls = serversOf(text).map((server) => URL.parse(server));
    const [url] = urls;
    if (
      !url ||
      urls.includes(null) ||
      !/^(\/[\w.~%+-]*)?$/.test(url.pathname) ||
      url.hash !== '' ||
      url.search.includes('@')
    )
      return 'must be a valid URL; reserved characters in the password are percent-encoded';
    const names = [...url.searchParams.keys()];
    if (names.some((name) => !PARAMETERS.includes(name)) || new Set(names).size < names.length)
      return `must have no other parameters than ${PARAMETERS.join(', ')}, each once`;
    const sslMode = url.searchParams.get('sslmode') ?? 'disable';
    return !SSL_MODES.includes(sslMode) && `must have one of ${SSL_MODES.join(', ')} as sslmode`;
  });
}

/** The URL of each server of `postgres://user:password@host:5432,other:5432/database`. */
export function serversOf(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.split(',').map((host) => start + host + end);
}

function isFilePath(path: string): boolean {
  const withoutDrive = path.replace(/^[a-z]:(?=[\\/])/i, '');
  // A shell would expand the first two.
  return /^(?!~|\$|:memory:|file:|\/\/[^/])./.test(path) && !/:\/\/|:.*@/.test(withoutDrive);
}
