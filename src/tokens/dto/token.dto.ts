import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { NewTokenDto } from './new-token.dto.js';

/** An access token as it is shown: without its secret and the digest of that. */
@ApiSchema({ name: 'Token', description: 'An access token, without its secret.' })
export class TokenDto extends NewTokenDto {
  @ApiProperty({ description: 'What the service calls the token.', example: '5f0c9a1b2d3e' })
  id: string;

  @ApiProperty({ description: 'When the token was made.', example: '2026-03-01T08:30:00.000Z' })
  createdAt: Date;

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
