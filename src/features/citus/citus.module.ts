import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../../kernel/config/settings.js';
import { Sites } from '../../kernel/store/sites.js';
import { CitusSites, coordinatorOf } from './citus-sites.js';
import { openServersOf } from './open-server.js';

/** The sites of a Citus cluster; undefined on any other database. */
const provider = {
  provide: Sites,
  useFactory: (dataSource: DataSource, { database }: Settings) =>
    database.type === 'postgres'
      ? CitusSites.find(dataSource, openServersOf(dataSource, database))
      : undefined,
  inject: [DataSource, Settings],
};

/** Routes rows and lists to the workers if the database is that of a Citus cluster. */
@Global()
@Module({ providers: [provider], exports: [provider] })
export class CitusModule implements OnApplicationShutdown {
  static readonly placesRows = true;
  static readonly schemaServer = coordinatorOf;

  constructor(@Inject(Sites) private readonly sites: CitusSites | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    await this.sites?.close();
  }
}
