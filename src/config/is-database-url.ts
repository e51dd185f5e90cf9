import { ValidateBy } from 'class-validator';

/**
 * TLS is either off, or on with the certificate verified, or on without that. The modes of libpq that try TLS and go on
 * without it (`allow`, `prefer`) protect nobody.
 */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Accepts the address of a database: `sqlite:` and the path of a file, or a URL with `postgres://`. */
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
  if (/^sqlite:(?!:memory:|\/\/[^/])./.test(url)) return undefined;
  if (!/^postgres(ql)?:\/\//.test(url)) {
    return 'be sqlite: and the path of a file, as in sqlite:data/plant-store.db, or the URL of a PostgreSQL, as in postgres://user:password@host:5432/database';
  }
  if (!URL.canParse(url)) return 'be a valid URL; reserved characters in the password are percent-encoded';
  const sslMode = new URL(url).searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode))
    return `have one of ${SSL_MODES.join(', ')} as sslmode`;
  return undefined;
}
