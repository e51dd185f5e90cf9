import { Module } from '@nestjs/common';
import type { Configuration } from '../../config/configuration.js';
import { IdentityProviderSettings } from './identity-provider.settings.js';

@Module({})
export class IdentityProviderModule {
  static readonly settings = IdentityProviderSettings;
  static readonly tag = { name: 'authentication', description: 'Where access tokens come from.' };

  static readonly acceptsTokens = true;

  static isOn(configuration: Configuration): boolean {
    return configuration.get(IdentityProviderSettings).OIDC_ISSUER !== undefined;
  }
}
