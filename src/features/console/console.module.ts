import { Module, type OnModuleInit, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { TokenIssuer } from '../../kernel/auth/token-issuer.js';
import { PAGE_POLICY, servePage } from '../../kernel/http/server/pages.js';
import { ConsoleSettings } from './console.settings.js';

/** Serves the console. */
@Module({})
export class ConsoleModule implements OnModuleInit {
  static readonly settings = ConsoleSettings;
  static readonly page = '/console/';

  constructor(
    private readonly settings: ConsoleSettings,
    private readonly host: HttpAdapterHost,
    @Optional() private readonly issuer?: TokenIssuer,
  ) {}

  onModuleInit(): void {
    const { page } = ConsoleModule;
    const { OIDC_CLIENT_ID: clientId } = this.settings;
    const origin = clientId === undefined || !this.issuer ? '' : new URL(this.issuer.issuer).origin;
    servePage(this.host, page, 'index.html', {
      ...PAGE_POLICY,
      'connect-src': `'self' ${origin}`.trim(),
      'base-uri': "'self'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
    this.host.httpAdapter.get(`${page}sign-in.json`, (_request: unknown, response: Response) =>
      response.json({ clientId }),
    );
  }
}
