import { Module, type OnModuleInit } from '@nestjs/common';
import { PAGE_POLICY, Pages, PagesModule } from '../../kernel/http/server/pages.js';

/** Serves Swagger UI for the contract. Its files are those of the console's build. */
@Module({ imports: [PagesModule] })
export class ReferenceModule implements OnModuleInit {
  static readonly page = '/docs';

  constructor(private readonly pages: Pages) {}

  onModuleInit(): void {
    const { page } = ReferenceModule;
    this.pages.redirect(`${page}/`, `..${page}`);
    // Swagger UI sets style attributes.
    this.pages.serve(page, 'docs.html', { ...PAGE_POLICY, 'style-src': "'self' 'unsafe-inline'" });
  }
}
