import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { REALM } from './challenge.js';
import type { Principal } from './principal.js';
import { TokenVerifier } from './token-verifier.js';

/** Authenticates by the bearer token in the `Authorization` header, and nowhere else (RFC 6750 section 2.1). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly verifier: TokenVerifier) {
    super({ realm: REALM });
  }

  /** Passport's hook for the credentials: whom they stand for, or false to refuse them. */
  async validate(secret: string): Promise<Principal | false> {
    return (await this.verifier.verify(secret)) ?? false;
  }

  /**
   * Shows the strategy the header only: it would also take a token from the query or the body. It wants one space behind
   * the scheme and none behind that: a space inside makes a malformed token, which `validate` refuses.
   */
  override authenticate(request: Request): void {
    const credentials = bearerCredentials(request)?.replaceAll(' ', '%20');
    const authorization = credentials && `Bearer ${credentials}`;
    super.authenticate({ headers: { authorization } } as Request);
  }
}

/**
 * The token in the `Authorization` header, and from nowhere else (RFC 6750 section 2.1); undefined when there is none.
 *
 * The scheme may be in any case, with one space or several behind it (RFC 9110 section 11.4).
 */
export function bearerCredentials({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
}
