import type { Server } from 'node:http';
import { Controller, Get } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiProperty, ApiPropertyOptional, ApiSchema, ApiTags } from '@nestjs/swagger';
import { publicAddress } from '../../kernel/config/public-address.js';
import { Settings } from '../../kernel/config/settings.js';
import { Public } from '../../kernel/auth/access.decorators.js';
import { IdentityProvider } from './identity-provider.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';

/** Metadata from which a client learns where to get access tokens (RFC 9728 section 2). */
@ApiSchema({ name: 'ProtectedResource', description: 'Where to get access tokens for this service.' })
class ProtectedResourceDto {
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
}

/** Says where to get access tokens; open to everybody. */
@ApiTags('authentication')
@Public()
@Controller()
export class ProtectedResourceController {
  constructor(
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
    private readonly provider: IdentityProvider,
  ) {}

  @Get('.well-known/oauth-protected-resource')
  @Endpoint({
    id: 'getProtectedResource',
    summary: 'Where to get access tokens',
    description: 'Names the identity provider whose access tokens the service accepts (RFC 9728).',
    returns: { type: ProtectedResourceDto, description: 'Where to get access tokens.' },
    errors: 'none',
  })
  describe(): ProtectedResourceDto {
    const { issuer, scopes } = this.provider;
    return {
      resource: publicAddress(this.host.httpAdapter.getHttpServer() as Server, this.settings),
      authorization_servers: [issuer],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    };
  }
}
