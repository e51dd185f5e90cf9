import { Inject, Injectable, Optional } from '@nestjs/common';
import type { AccessToken } from '../auth/access-token.entity.js';
import { AccessTokensService } from '../auth/access-tokens.service.js';
import { SCOPES } from '../auth/bootstrap-token.js';
import { insufficientScope } from '../auth/challenge.js';
import { ProtectedResource } from '../auth/oidc/protected-resource.js';
import type { Principal } from '../auth/principal.js';
import { ADMIN, type Scope } from '../auth/scope.js';
import { TokenVerifier } from '../auth/token-verifier.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { type Page, pageOf, type PageQuery } from '../resource/page.js';
import { unknownResource, wrongCursor } from '../resource/resource-errors.js';
import type { CurrentTokenDto } from './dto/current-token.dto.js';
import type { IssuedTokenDto } from './dto/issued-token.dto.js';
import type { NewTokenDto } from './dto/new-token.dto.js';
import type { TokenDto } from './dto/token.dto.js';

/** The place of a token in the list: when it was made, and its id. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z),(\w+)$/;

/** The rules of access tokens. */
@Injectable()
export class TokensService {
  constructor(
    private readonly tokens: AccessTokensService,
    private readonly verifier: TokenVerifier,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
    @Optional() private readonly resource?: ProtectedResource,
  ) {}

  /** The tokens that a query asks for, oldest first. */
  async list({ limit, after }: PageQuery): Promise<Page<TokenDto>> {
    const place = after === undefined ? undefined : parseCursor(after);
    const { items, next } = pageOf(await this.tokens.page(limit + 1, place), limit, cursorOf);
    return { items: items.map(describe), next };
  }

  /**
   * Makes a token with scopes that its maker has.
   *
   * @throws ApiException 40001 when there is no such scope, 40300 when the maker lacks one.
   */
  async create({ name, scopes, expiresAt }: NewTokenDto, maker: Principal): Promise<IssuedTokenDto> {
    if (!scopes.every((scope) => this.scopes.includes(scope))) throw unknownScope(this.scopes);
    if (!scopes.every((scope) => maker.scopes.includes(scope)))
      throw insufficientScope(
        [...new Set([ADMIN, ...scopes])],
        maker.scopes,
        this.resource?.metadataUrl,
        ', and a token grants only scopes that it has',
      );
    const { token, secret } = await this.tokens.issue({ name, scopes, expiresAt: expiresAt ?? null });
    return Object.assign(describe(token), { secret });
  }

  /** What a token is by which somebody makes a request. */
  describeCurrent({ id, name, scopes, expiresAt }: Principal): CurrentTokenDto {
    return { id, ...(name !== undefined && { name }), scopes, ...(expiresAt && { expiresAt }) };
  }

  /**
   * Revokes a token for good.
   *
   * @param evenLastAdmin whether it may be the last valid one with `admin`.
   * @throws ApiException 40401 when there is no such token, 40901 when it is that one.
   */
  async revoke(id: string, evenLastAdmin: boolean): Promise<void> {
    // No other id gets to the database: PostgreSQL fails at U+0000.
    const token = /^\w+$/.test(id) ? await this.revokeIfThere(id, evenLastAdmin) : null;
    if (token === null) throw unknownResource('token', id);
    if (token.revokedAt === null) throw lastAdmin();
    this.verifier.forget(token.digest);
  }

  private revokeIfThere(id: string, evenLastAdmin: boolean): Promise<AccessToken | null> {
    return evenLastAdmin ? this.tokens.revoke(id) : this.tokens.revokeUnlessLastAdmin(id);
  }
}

/** 40901: without this token nobody could make another one. */
export function lastAdmin(): ApiException {
  return new ApiException(
    ErrorValue.LastAdmin,
    `The token is the last valid one with the scope ${ADMIN}. With lastAdmin=true it is revoked all the same.`,
  );
}

function unknownScope(scopes: readonly Scope[]): ApiException {
  return new ApiException(
    ErrorValue.InvalidBody,
    `The body is not valid: scopes must be among ${scopes.join(', ')}.`,
  );
}

function describe(token: AccessToken): TokenDto {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedOn } = token;
  return {
    id,
    name,
    scopes,
    createdAt,
    ...(expiresAt && { expiresAt }),
    ...(revokedAt && { revokedAt }),
    ...(lastUsedOn && { lastUsedOn }),
  };
}

function cursorOf({ createdAt, id }: AccessToken): string {
  return `${createdAt.toISOString()},${id}`;
}

/** @throws ApiException 40002 when the text is none that `cursorOf` makes. */
function parseCursor(cursor: string): { createdAt: string; id: string } {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) throw wrongCursor();
  return { createdAt, id };
}
