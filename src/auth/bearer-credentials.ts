import type { IncomingMessage } from 'node:http';

/**
 * The token in the `Authorization` header, and from nowhere else (RFC 6750 section 2.1); undefined when there is none.
 *
 * The scheme may be in any case, with one space or several behind it (RFC 9110 section 11.4).
 */
export function bearerCredentials({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
}
