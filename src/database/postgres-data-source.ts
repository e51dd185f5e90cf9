import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresClient } from './postgres-client.js';

/** A data source on PostgreSQL that closes a connection released in the middle of a transaction. */
export class PostgresDataSource extends DataSource {
  /** Reads the entities without the database. @throws TypeORMError when one of them is wrong. */
  describeEntities(): Promise<void> {
    return this.buildMetadatas();
  }

  override async initialize(): Promise<this> {
    await super.initialize();
    // The next writes on such a connection would become a part of the transaction.
    ((this.driver as PostgresDriver).master as Pool).on('release', (_error, client) => {
      if (client instanceof PostgresClient && (client.isFull || client.getTransactionStatus() !== 'I'))
        void client.end();
    });
    return this;
  }
}
