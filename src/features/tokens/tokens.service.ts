import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AccessToken } from '../../kernel/auth/access-token.entity.js';
import { AccessTokensService } from '../../kernel/auth/access-tokens.service.js';
import { SCOPES } from '../../kernel/auth/auth.module.js';
import { insufficientScope } from '../../kernel/auth/challenge.js';
import { ADMIN, type Principal, type Scope } from '../../kernel/auth/principal.js';
import { TokenVerifier } from '../../kernel/auth/token-verifier.js';
import { ApiException } from '../../kernel/errors/api.exception.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { type Page, pageOf } from '../../kernel/resource/page.js';
import { withoutNulls } from '../../kernel/resource/resource.js';
import { unknownResource, wrongCursor } from '../../kernel/resource/resource-errors.js';
import type {
  CurrentTokenDto,
  IssuedTokenDto,
  ListTokensQuery,
  NewTokenDto,
  RevokeTokenQuery,
  TokenDto,
} from './dto/token.dto.js';

/** The rules of access tokens. */
@Injectable()
export class TokensService {
  private readonly logger = new Logger(TokensService.name);

  constructor(
    private readonly tokens: AccessTokensService,
    private readonly verifier: TokenVerifier,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
  ) {}

  /** A page of the tokens, oldest first. */
  async list({ limit, after, createdBy }: ListTokensQuery): Promise<Page<TokenDto>> {
    const last = after === undefined ? undefined : await this.tokens.find(after);
    if (last === null) throw wrongCursor();
    const found = await this.tokens.list(limit + 1, last, createdBy);
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
   * @throws ApiException 40001 for an unknown scope or a later expiry, 40300 when the maker lacks a scope.
   */
  async create({ name, scopes, expiresAt }: NewTokenDto, maker: Principal): Promise<IssuedTokenDto> {
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
    const createdBy = maker.id;
    const { token, secret } = await this.tokens.issue({
      name,
      scopes,
      expiresAt: expiresAt ?? null,
      createdBy,
    });
    this.logger.log(`The token ${token.id} was created by ${createdBy}.`);
    return Object.assign(describe(token), { secret });
  }

  describeCurrent({ id, name, scopes, expiresAt }: Principal): CurrentTokenDto {
    return { id, ...(name !== undefined && { name }), scopes, ...(expiresAt && { expiresAt }) };
  }

  /**
   * Revokes a token for good, and on request what it has created.
   *
   * @throws ApiException 40401 when the token does not exist, 40901 when no valid one with `admin` would be left.
   */
  async revoke(
    id: string,
    { lastAdmin: isFree, createdSince }: RevokeTokenQuery,
    { id: by }: Principal,
  ): Promise<void> {
    const tokens = await this.tokens.revoke(id, { by, keepLastAdmin: !isFree, createdSince });
    const [token] = tokens;
    if (token === undefined) throw unknownResource('token', id);
    if (token.revokedAt === null) throw lastAdmin();
    for (const revoked of tokens) {
      this.verifier.forget(revoked.digest);
      this.logger.log(`The token ${revoked.id} was revoked by ${by}.`);
    }
  }
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
