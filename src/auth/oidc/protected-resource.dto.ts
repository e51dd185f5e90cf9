import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** Metadata from which a client learns where to get access tokens (RFC 9728 section 2). */
@ApiSchema({ name: 'ProtectedResource', description: 'Where to get access tokens for this service.' })
export class ProtectedResourceDto {
  @ApiProperty({ description: 'The address of this service.', example: 'https://plants.example.org' })
  resource: string;

  @ApiProperty({
    description: 'The identity provider whose access tokens this service accepts.',
    example: ['https://login.example.org/realms/garden'],
  })
  authorization_servers: string[];

  @ApiPropertyOptional({
    description: 'What to ask the identity provider for as `scope`.',
    example: ['plants:read', 'plants:write'],
  })
  scopes_supported?: string[];

  @ApiProperty({ description: 'How to send an access token.', example: ['header'] })
  bearer_methods_supported: string[];

  @ApiProperty({
    description: 'The reference page of this service.',
    example: 'https://plants.example.org/docs',
  })
  resource_documentation: string;
}
