import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { publicAddress } from '../../config/public-address.js';
import { Settings } from '../../config/settings.js';
import { IdentityProvider } from './identity-provider.js';
import type { ProtectedResourceDto } from './protected-resource.dto.js';

/** Where the metadata is, for clients that know the address of the service only (RFC 9728 section 3). */
export const METADATA_PATH = '.well-known/oauth-protected-resource';

/** The service as clients of its identity provider see it (RFC 9728). */
@Injectable()
export class ProtectedResource {
  constructor(
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
    private readonly provider: IdentityProvider,
  ) {}

  /** The address of the metadata, which every challenge names. */
  get metadataUrl(): string {
    return new URL(`${this.address}/${METADATA_PATH}`).href;
  }

  describe(): ProtectedResourceDto {
    const { issuer, scopes } = this.provider;
    return {
      resource: this.address,
      authorization_servers: [issuer],
      ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
      bearer_methods_supported: ['header'],
      resource_documentation: `${this.address}/docs`,
    };
  }

  private get address(): string {
    return publicAddress(this.host.httpAdapter, this.settings);
  }
}
