import { Module, type OnModuleInit } from '@nestjs/common';
import { Pages, PagesModule } from '../../http/server/pages.js';

/** The path of the console, to which the page links if the service has it. */
const CONSOLE_PATH = '/console/';

/** Serves the reference page of the contract. It finds its parts and the service relative to its own address. */
@Module({ imports: [PagesModule] })
export class ReferenceModule implements OnModuleInit {
  static readonly page = '/docs';

  constructor(private readonly pages: Pages) {}

  onModuleInit(): void {
    const { page } = ReferenceModule;
    this.pages.redirect(`${page}/`, `..${page}`);
    this.pages.serve(page, 'docs.html', '', (html) =>
      this.pages.has(CONSOLE_PATH) ? html : html.replace(' data-console', ''),
    );
  }
}
