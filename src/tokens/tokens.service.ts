import { Inject, Injectable } from '@nestjs/common';
import type { AccessToken } from '../auth/access-token.entity.js';
import { AccessTokensService, generateSecret } from '../auth/access-tokens.service.js';
import { SCOPES } from '../auth/auth.module.js';
import { insufficientScope } from '../auth/challenge.js';
import { ADMIN, type Principal, type Scope } from '../auth/principal.js';
import { TokenVerifier } from '../auth/token-verifier.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { type Page, pageOf, type PageQuery } from '../resource/page.js';
import { type Idempotency, keyReused } from '../resource/idempotency.js';
import { withoutNulls } from '../resource/resource.js';
import { unknownResource, wrongCursor } from '../resource/resource-errors.js';
import type { CurrentTokenDto, IssuedTokenDto, NewTokenDto, TokenDto } from './dto/token.dto.js';

/** The rules of access tokens. */
@Injectable()
export class TokensService {
  constructor(
    private readonly tokens: AccessTokensService,
    private readonly verifier: TokenVerifier,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
  ) {}

  /** A page of the tokens, oldest first. */
  async list({ limit, after }: PageQuery): Promise<Page<TokenDto>> {
    const last = after === undefined ? undefined : await this.tokens.find(after);
    if (last === null) throw wrongCursor();
    const found = await this.tokens.list(limit + 1, last);
    return pageOf(found.map(describe), limit, ({ id }) => id);
  }

  /** @throws ApiException 40401 when the token does not exist. */
  async find(id: string): Promise<TokenDto> {
    const token = await this.tokens.find(id);
    if (token === null) throw unknownResource('token', id);
    return describe(token);
  }

  /**
   * Makes a token with scopes that its maker has. If the maker is an access token that expires, the new token expires no later.
   *
   * @throws ApiException 40001 for an unknown scope or a later expiry, 40300 when the maker lacks a scope; with a reused key,
   * 42200 for another body and 40900 for another JWT.
   */
  async create(
    { name, scopes, expiresAt }: NewTokenDto,
    maker: Principal,
    idempotency?: Idempotency,
  ): Promise<IssuedTokenDto> {
    if (!scopes.every((scope) => this.scopes.includes(scope)))
      throw new ApiException(ErrorValue.InvalidBody, `scopes must be among ${this.scopes.join(', ')}.`);
    if (!scopes.every((scope) => maker.scopes.includes(scope)))
      throw insufficientScope(
        [...new Set([ADMIN, ...scopes])],
        maker.scopes,
        ', and a token grants only scopes that it has; the command plant-store token create grants any',
      );
    // A JWT sets no limit: it expires soon, and its client gets another from the provider.
    const isJwt = maker.name === undefined;
    if (maker.expiresAt !== null && !isJwt && !(expiresAt && expiresAt <= maker.expiresAt))
      throw new ApiException(
        ErrorValue.InvalidBody,
        `expiresAt must be ${maker.expiresAt.toISOString()} or earlier, because the access token of the request ends then.`,
      );
    const newToken = { name, scopes, expiresAt: expiresAt ?? null };
    if (idempotency === undefined) {
      const { token, secret } = await this.tokens.issue(newToken);
      return Object.assign(describe(token), { secret });
    }
    const secret = generateSecret(idempotency.secret);
    const made = await this.tokens.adopt(newToken, secret, idempotency.id);
    if (made === null) throw madeByAnother(idempotency.id);
    const isSame =
      made.name === name &&
      made.scopes.join() === scopes.join() &&
      Number(made.expiresAt) === Number(newToken.expiresAt);
    if (!isSame) throw keyReused();
    return Object.assign(describe(made), { secret });
  }

  describeCurrent({ id, name, scopes, expiresAt }: Principal): CurrentTokenDto {
    return { id, ...(name !== undefined && { name }), scopes, ...(expiresAt && { expiresAt }) };
  }

  /**
   * Revokes a token for good.
   *
   * @param evenLastAdmin whether the last valid token with `admin` may be revoked.
   * @throws ApiException 40401 when the token does not exist, 40901 when it is the last valid one with `admin`.
   */
  async revoke(id: string, evenLastAdmin: boolean): Promise<void> {
    const token = await this.tokens.revoke(id, !evenLastAdmin);
    if (token === null) throw unknownResource('token', id);
    if (token.revokedAt === null) throw lastAdmin();
    this.verifier.forget(token.digest);
  }
}

/** 40900: the secret was derived from another JWT, so it cannot be derived again. */
export function madeByAnother(id: string): ApiException {
  return new ApiException(
    ErrorValue.IdTaken,
    `The token ${id} of this Idempotency-Key was made with another JWT. Revoke it and make up another key.`,
  );
}

/** 40901: without this token, nobody could create tokens. */
export function lastAdmin(): ApiException {
  return new ApiException(
    ErrorValue.LastAdmin,
    `The token is the last valid one with the scope ${ADMIN}. With lastAdmin=true it is revoked all the same.`,
  );
}

function describe({ digest: _, ...shown }: AccessToken): TokenDto {
  return withoutNulls(shown);
}
