import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { AccessTokensService } from './access-tokens.service.js';
import { SCOPES } from './scope.js';

/** Sees to it that there is a token from the first start: the configured one, or a new one if there is none at all. */
@Injectable()
export class BootstrapToken implements OnApplicationBootstrap {
  private firstSecret: string | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly tokens: AccessTokensService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { bootstrapToken } = this.settings;
    const newToken = { name: 'bootstrap', scopes: SCOPES, expiresAt: null };
    if (bootstrapToken !== undefined) await this.tokens.adopt(newToken, bootstrapToken);
    else if (!(await this.tokens.exist())) this.firstSecret = (await this.tokens.issue(newToken)).secret;
  }

  /** The secret made at this start, for whoever started the service to see; undefined from the second call on. */
  takeFirstSecret(): string | undefined {
    const secret = this.firstSecret;
    this.firstSecret = undefined;
    return secret;
  }
}
