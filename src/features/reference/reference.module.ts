import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PAGE_POLICY, servePage } from '../../kernel/http/server/pages.js';

/** Serves Swagger UI for the contract. Its files are those of the console's build. */
@Module({})
export class ReferenceModule implements OnModuleInit {
  static readonly page = '/docs/';

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    // Swagger UI sets style attributes.
    const policy = { ...PAGE_POLICY, 'style-src': "'self' 'unsafe-inline'" };
    servePage(this.host, ReferenceModule.page, 'docs.html', policy);
  }
}
