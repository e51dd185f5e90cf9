import { ValidateBy } from 'class-validator';

/**
 * TLS is either off, or on with the certificate verified, or on without that. The modes of libpq that try TLS and go on
 * without it (`allow`, `prefer`) protect nobody.
 */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * Accepts the address of a database: `sqlite:` and the path of a file, or a URL with `postgres://`.
 *
 * The path of a file, and the host and the name of a database, are shown to people. So an address is refused where a
 * password may have got into them: a reserved character in it, which is not percent-encoded, ends the host too soon.
 */
export function IsDatabaseUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isDatabaseUrl',
    validator: {
      validate: (value: string) => problemOf(value) === undefined,
      // The value itself is not shown: it may hold a password.
      defaultMessage: (context) => `DATABASE_URL must ${problemOf(String(context?.value))}`,
    },
  });
}

function problemOf(url: string): string | undefined {
  if (url.startsWith('sqlite:') && isFilePath(url.slice('sqlite:'.length))) return undefined;
  if (!/^postgres(ql)?:\/\//.test(url)) {
    return 'be sqlite: and the path of a file, as in sqlite:data/plant-store.db, or the URL of a PostgreSQL, as in postgres://user:password@host:5432/database';
  }
  const address = URL.parse(url);
  if (address === null || !isUnmistakable(address)) {
    return 'be a valid URL; reserved characters in the password are percent-encoded';
  }
  const sslMode = address.searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode))
    return `have one of ${SSL_MODES.join(', ')} as sslmode`;
  return undefined;
}

function isFilePath(path: string): boolean {
  const withoutDrive = path.replace(/^[a-z]:(?=[\\/])/i, '');
  return /^(?!:memory:|\/\/[^/])./.test(path) && !/:\/\/|:.*@/.test(withoutDrive);
}

function isUnmistakable({ pathname, search, hash }: URL): boolean {
  return /^(\/[\w.~%+-]*)?$/.test(pathname) && hash === '' && !search.includes('@');
}
