import { ValidateBy } from 'class-validator';

/** Accepts the issuer of tokens: an https address without a query (RFC 8414 section 2), or an http one on this machine. */
export function IsIssuer(): PropertyDecorator {
  return ValidateBy({
    name: 'isIssuer',
    validator: {
      validate: isIssuer,
      // The value itself is not shown: it may hold a password.
      defaultMessage: () =>
        '$property must be the https address of an identity provider, exactly as its tokens have it in iss ' +
        '(http only on this machine, no query, no fragment, no credentials)',
    },
  });
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isTrustworthy(url) && !/[?#\s]/.test(text) && url.username + url.password === '';
}

/** Whether what comes from there comes from there: TLS proves it, and nobody is between two processes of a machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
