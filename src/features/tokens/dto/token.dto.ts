import { ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, Matches, MinDate } from 'class-validator';
import { MAX_NAME_LENGTH, TOKEN_NAME } from '../../../kernel/auth/access-token.entity.js';
import type { Scope } from '../../../kernel/auth/principal.js';
import { PageQuery } from '../../../kernel/resource/page.js';
import { SCOPE_SCHEMA } from '../../../kernel/openapi/openapi.js';
import {
  IsBooleanParameter,
  IsStorableText,
  IsTimestamp,
  MAX_TEXT,
  MayBeAbsent,
} from '../../../kernel/validation/decorators.js';

const SCOPES_RULE = { message: '$property must be a list of different scopes, one or more' };

/** An access token to make. The service checks that its scopes exist. */
@ApiSchema({
  name: 'NewToken',
  description: 'An access token to make. Members that are not listed are ignored.',
})
export class NewTokenDto {
  @ApiProperty({
    minLength: 1,
    pattern: TOKEN_NAME.source,
    description: 'What the token is for. It has no control characters and is not blank.',
    example: 'greenhouse',
  })
  @Matches(TOKEN_NAME, { message: '$property must have no control characters and not be blank' })
  @IsStorableText(MAX_NAME_LENGTH)
  name: string;

  @ApiProperty({
    type: 'array',
    items: { $ref: SCOPE_SCHEMA },
    minItems: 1,
    uniqueItems: true,
    description: 'What the token may do.',
    example: ['plants:read'],
  })
  @IsArray(SCOPES_RULE)
  @ArrayNotEmpty(SCOPES_RULE)
  @ArrayUnique(SCOPES_RULE)
  scopes: readonly Scope[];

  @ApiPropertyOptional({
    description:
      'When the token expires, in the future for a new one; absent means never. A token that expires can only make tokens that expire no later.',
    example: '2099-01-01T00:00:00Z',
  })
  @MayBeAbsent()
  @MinDate(() => new Date(), { message: '$property must be in the future' })
  @IsTimestamp()
  expiresAt?: Date;
}

@ApiSchema({ name: 'Token', description: 'An access token, without its secret.' })
export class TokenDto extends NewTokenDto {
  // No enum: later versions have other scopes, and today's clients must still read their tokens.
  @ApiProperty({ items: { type: 'string' } })
  override scopes: readonly Scope[];

  @ApiProperty({
    description: 'The id of the token; for a JWT, `oidc:` and its subject.',
    example: '5f0c9a1b2d3e',
  })
  id: string;

  @ApiProperty({ description: 'When the token was made.', example: '2026-03-01T08:30:00.000Z' })
  createdAt: Date;

  @ApiPropertyOptional({
    description:
      'Who created the token: the id of a token, or `oidc:` and a subject. Absent for a command and the first token.',
    example: '5f0c9a1b2d3e',
  })
  createdBy?: string;

  @ApiPropertyOptional({
    description: 'Who revoked the token; absent for a command.',
    example: '5f0c9a1b2d3e',
  })
  revokedBy?: string;

  @ApiPropertyOptional({
    description: 'When the token was revoked; absent if it was not.',
    example: '2026-04-01T08:30:00.000Z',
  })
  revokedAt?: Date;

  @ApiPropertyOptional({
    format: 'date',
    description: 'The day in UTC on which the token was last used; absent if it never was.',
    example: '2026-03-31',
  })
  lastUsedOn?: string;
}

@ApiSchema({ name: 'IssuedToken', description: 'A new access token, with its secret.' })
export class IssuedTokenDto extends TokenDto {
  @ApiProperty({ description: 'What a client sends as its access token. It is not shown again.' })
  secret: string;
}

/** The token of a request, which the service or the identity provider has made. */
@ApiSchema({ name: 'CurrentToken', description: 'The access token of the request.' })
export class CurrentTokenDto extends PickType(TokenDto, ['id', 'expiresAt']) {
  @ApiPropertyOptional({ description: 'What the token is for; absent for a JWT.', example: 'greenhouse' })
  name?: string;

  @ApiProperty({ type: [String], description: 'What the token may do.', example: ['plants:read'] })
  scopes: readonly Scope[];
}

export class ListTokensQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only the tokens that this caller created.', example: '5f0c9a1b2d3e' })
  @MayBeAbsent()
  @IsStorableText(MAX_TEXT)
  createdBy?: string;
}

export class RevokeTokenQuery {
  @ApiPropertyOptional({
    description:
      'Also revokes the tokens that it has created since this time, and those that they have created.',
    example: '2026-03-01T00:00:00Z',
  })
  @MayBeAbsent()
  @IsTimestamp()
  createdSince?: Date;

  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    example: false,
    description: 'Revokes the token even if it is the last valid one with `admin`.',
  })
  @MayBeAbsent()
  @IsBooleanParameter()
  lastAdmin?: boolean;
}
