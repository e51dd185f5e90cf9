import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';

/** What a client's own token is, which may be one of the identity provider. */
@ApiSchema({ name: 'CurrentToken', description: 'The access token of the request.' })
export class CurrentTokenDto {
  @ApiProperty({
    description: 'What the log calls the token: its id, or `oidc:` and the subject of a JWT.',
    example: '5f0c9a1b2d3e',
  })
  id: string;

  @ApiPropertyOptional({ description: 'What the token is for; absent for a JWT.', example: 'greenhouse' })
  name?: string;

  @ApiProperty({ type: [String], description: 'What the token may do.', example: ['plants:read'] })
  scopes: readonly Scope[];

  @ApiPropertyOptional({
    description: 'When the token ends; absent means never.',
    example: '2099-01-01T00:00:00.000Z',
  })
  expiresAt?: Date;
}
