import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { AccessTokensService } from './access-tokens.service.js';
import type { Scope } from './scope.js';

/** The token under which Nest has every scope that there is. */
export const SCOPES = 'Scopes';

/** Sees to it that there is a token from the first start: the configured one, or a new one if there is none at all. */
@Injectable()
export class BootstrapToken implements OnApplicationBootstrap {
  private readonly logger = new Logger(BootstrapToken.name);

  constructor(
    private readonly settings: Settings,
    private readonly tokens: AccessTokensService,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
  ) {}

  /** The configured token is valid from the first request, unless it was revoked. */
  async onApplicationBootstrap(): Promise<void> {
    const { bootstrapToken } = this.settings;
    if (bootstrapToken === undefined) return;
    const { id, revokedAt } = await this.tokens.adopt(this.newToken(), bootstrapToken);
    if (revokedAt !== null)
      this.logger.warn(
        `BOOTSTRAP_TOKEN is the token ${id}, which is revoked and stays so: choose another one.`,
      );
  }

  /**
   * Makes the first token of a store that has none and returns its secret, which whoever started the service has to see;
   * undefined when there is a token. Not before the service listens: a start that fails must not use up the secret.
   */
  async issueFirst(): Promise<string | undefined> {
    return this.tokens.issueFirst(this.newToken());
  }

  private newToken() {
    return { name: 'bootstrap', scopes: this.scopes, expiresAt: null };
  }
}
