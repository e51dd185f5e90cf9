import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Matches, MinDate, ValidateBy } from 'class-validator';
import { MAX_NAME_LENGTH, TOKEN_NAME } from '../../auth/access-token.entity.js';
import type { Scope } from '../../auth/scope.js';
import { IsTimestamp } from '../../validation/is-timestamp.js';
import { MayBeAbsent } from '../../validation/may-be-absent.js';

/** An access token to make. Which scopes there are is for the service to check. */
@ApiSchema({
  name: 'NewToken',
  description: 'An access token to make. Members that are not listed are ignored.',
})
export class NewTokenDto {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    description: 'What the token is for. It has no control characters and is not blank.',
    example: 'greenhouse',
  })
  @Matches(TOKEN_NAME, {
    message: `$property must be a string of 1 to ${MAX_NAME_LENGTH} characters without control characters, and not blank`,
  })
  name: string;

  @ApiProperty({
    type: [String],
    minItems: 1,
    uniqueItems: true,
    description: 'What the token may do.',
    example: ['plants:read'],
  })
  @ValidateBy({
    name: 'areScopes',
    validator: {
      validate: (value: unknown) =>
        Array.isArray(value) && value.length > 0 && new Set(value).size === value.length,
      defaultMessage: () => '$property must be a list of scopes, at least one and none twice',
    },
  })
  scopes: readonly Scope[];

  @ApiPropertyOptional({
    description: 'When the token ends, which is in the future for a new one; absent means never.',
    example: '2099-01-01T00:00:00Z',
  })
  @MayBeAbsent()
  @MinDate(() => new Date(), { message: '$property must be in the future' })
  @IsTimestamp()
  expiresAt?: Date;
}
