import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { markingTransactions } from '../current-transaction.js';

/** A data source on PostgreSQL. */
export class PostgresDataSource extends DataSource {
  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    return markingTransactions(super.createEntityManager(queryRunner));
  }

  /** Reads the entities without the database. @throws TypeORMError when one of them is wrong. */
  describeEntities(): Promise<void> {
    return this.buildMetadatas();
  }
}
