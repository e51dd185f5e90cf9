import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import type { AccessToken } from './access-token.entity.js';
import { REALM } from './challenge.js';
import { TOKEN68 } from './token-secret.js';
import { TokenVerifier } from './token-verifier.js';

/** Authenticates by the bearer token in the `Authorization` header, and nowhere else (RFC 6750 section 2.1). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly verifier: TokenVerifier) {
    super({ realm: REALM });
  }

  /** Passport's hook for the credentials: the token they stand for, or false to refuse them. */
  async validate(secret: string): Promise<AccessToken | false> {
    return TOKEN68.test(secret) && ((await this.verifier.verify(secret)) ?? false);
  }

  /**
   * Shows the strategy the header only: it would also take a token from the query or the body.
   *
   * It also wants exactly one space after the scheme and none behind it. Several are allowed in front of the token
   * (RFC 9110 section 11.4); a space inside makes a malformed token, which `validate` refuses.
   */
  override authenticate({ headers }: Request): void {
    const credentials = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.replaceAll(' ', '%20');
    const authorization = credentials && `Bearer ${credentials}`;
    super.authenticate({ headers: { authorization } } as Request);
  }
}
